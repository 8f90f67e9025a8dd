package research

import (
	"errors"
	"fmt"
)

// Code classifies an error for people and for exit codes.
type Code string

// Error codes.
const (
	EInvalid     Code = "invalid"     // bad input; the message says what and what to do
	ENotFound    Code = "not_found"   // no such run, source, document
	EConflict    Code = "conflict"    // the state does not allow it
	EForbidden   Code = "forbidden"   // refused by a guard
	EUnavailable Code = "unavailable" // something outside is down
	EInternal    Code = "internal"    // our fault; logged, shown as "Internal error"
)

// Error is an error that is safe to show: Message names the cause and the
// cure. Key and Args let pages translate it (catalogue key "error.<Key>").
type Error struct {
	Code    Code
	Key     string
	Message string
	Args    map[string]any
	Err     error
	Field   string // the form field, flag or JSON name it is about; empty for none
}

// Errorf makes an Error with a stable key and a safe English message.
func Errorf(code Code, key, format string, args ...any) *Error {
	return &Error{Code: code, Key: key, Message: fmt.Sprintf(format, args...)}
}

// With attaches values for translated messages.
func (e *Error) With(args map[string]any) *Error { e.Args = args; return e }

// Wrap attaches the cause, which is logged and never shown.
func (e *Error) Wrap(err error) *Error { e.Err = err; return e }

// At names the field the error is about.
func (e *Error) At(field string) *Error { e.Field = field; return e }

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf classifies any error; unknown ones are internal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return EInternal
}

// SafeMessage is what may be shown to a person.
func SafeMessage(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Code != EInternal {
		return e.Message
	}
	return "Internal error. The details are in the server's log."
}
