package say

import (
	"errors"
	"strings"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

// Error is an error in the reader's language, safe to show: by its key where the
// catalogue knows it, else its own English message.
func Error(l *i18n.Localizer, err error) string {
	var e *research.Error
	if !errors.As(err, &e) || e.Code == research.EInternal {
		return l.T("error.internal")
	}
	if strings.HasPrefix(e.Key, "discarded.") && known(l, e.Message, e.Key) {
		return l.T("error.not_added", "Name", e.Args["Name"], "Reason", l.T(e.Key))
	}
	if key := "error." + e.Key; e.Key != "" && l.Has(key) {
		return l.Map(key, Args(l, e.Args))
	}
	return e.Message
}
