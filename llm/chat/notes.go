package chat

import (
	"fmt"
	"time"

	"github.com/progrouter/progrouter/research"
)

// waitNote says why a model is waited for after a failure.
func waitNote(model string, e *Error, d time.Duration) research.Note {
	what, code := "failed", "model_wait"
	switch e.Kind {
	case RateLimited:
		what, code = "asks to wait: too many calls", "model_wait_limited"
	case Overloaded:
		what, code = "is overloaded or failing just now", "model_wait_overloaded"
	case TimedOut:
		what, code = "did not answer in time", "model_wait_timeout"
	case Unreachable:
		what, code = "cannot be reached", "model_wait_unreachable"
	case Cut:
		what, code = "broke off its answer", "model_wait_cut"
	case Garbage:
		what, code = "gave an answer that cannot be read", "model_wait_garbage"
	}
	s := seconds(d)
	return research.Note{Code: code, Args: map[string]any{"Model": model, "Seconds": s},
		Text: fmt.Sprintf("%s %s. Trying again in %d s.", model, what, s)}
}

func slotNote(provider string, places int) research.Note {
	return research.Note{Code: "model_wait_slot", Args: map[string]any{"Provider": provider, "Count": places},
		Text: fmt.Sprintf("Waiting for a free place at %s; calls at once: %d.", provider, places)}
}

func paceNote(provider string, perMinute int, d time.Duration) research.Note {
	s := seconds(d)
	return research.Note{Code: "model_wait_pace", Args: map[string]any{"Provider": provider, "Count": perMinute, "Seconds": s},
		Text: fmt.Sprintf("Waiting %d s; calls a minute that %s may get: %d.", s, provider, perMinute)}
}

// seconds rounds up, so that a wait is never said to take none.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// Note says in a sentence for people what went wrong with a model and what helps.
func (e *Error) Note(model string) research.Note {
	code, text := "model_failed", "%s failed."
	switch e.Kind {
	case RateLimited:
		code, text = "model_limited", "%s asks to wait: too many calls. It is tried again later."
	case Overloaded:
		code, text = "model_overloaded", "%s is overloaded or failing. It is tried again later."
	case TimedOut:
		code, text = "model_timeout", "%s did not answer in time. A model that is loaded first may need a longer limit."
	case Unreachable:
		code, text = "model_unreachable", "%s cannot be reached. Check that its server runs and that its address is right."
	case Cut:
		code, text = "model_cut", "%s broke off its answer."
	case Garbage:
		code, text = "model_garbage", "%s gave an answer that cannot be read. Check that its address is that of a model server."
	case ContextLength:
		code, text = "model_context", "The prompt does not fit the window of %s. Check the window given for it in the settings."
	case Unauthorized:
		code, text = "model_unauthorized", "%s refused the key. Check that it is set, right and not expired."
	case OutOfCredit:
		code, text = "model_out_of_credit", "The account of %s has no credit left. Top it up or raise its limit."
	case UnknownModel:
		code, text = "model_unknown", "The server does not have %s. Check the model's name and the server's address, or install it there."
	case Rejected:
		code, text = "model_rejected", "%s rejected the request."
	case Resting:
		code, text = "model_resting", "%s failed too often lately and is left alone for a while."
	}
	return research.Note{Code: code, Args: map[string]any{"Model": model}, Text: fmt.Sprintf(text, model)}
}
