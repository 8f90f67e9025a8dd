package extract

import (
	"fmt"

	"github.com/progrouter/progrouter/research"
)

// Codes of what cannot be used. They are stable words that pages translate by.
const (
	CodeEmpty           = "empty"
	CodeBinary          = "binary"
	CodeTooBig          = "too_big"
	CodeUnsupportedType = "unsupported_type"
	CodeNoPDF           = "pdf_unavailable"
	CodeEncryptedPDF    = "encrypted_pdf"
	CodeBrokenPDF       = "broken_pdf"
	CodeScannedPDF      = "scanned_pdf"
	CodeSlowPDF         = "slow_pdf"
	CodeSoft404         = "soft_404"
	CodePaywall         = "paywall"
	CodeCaptcha         = "captcha"
	CodeConsent         = "consent"
	CodeLogin           = "login"
	CodeErrorPage       = "error_page"
	CodeJavaScript      = "needs_javascript"
)

// Codes lists every code of this package, for catalogues.
func Codes() []string {
	return []string{
		CodeEmpty, CodeBinary, CodeTooBig, CodeUnsupportedType, CodeNoPDF, CodeEncryptedPDF, CodeBrokenPDF,
		CodeScannedPDF, CodeSlowPDF, CodeSoft404, CodePaywall, CodeCaptcha, CodeConsent, CodeLogin,
		CodeErrorPage, CodeJavaScript,
	}
}

// MaxBytes is the largest input that Parse looks at.
const MaxBytes = 50 << 20

// MaxText is the longest text of one document, in bytes of UTF-8: some four
// thousand pages. Searching and storing it takes about ten times its size in
// memory.
const MaxText = 8 << 20

// tooLong refuses a document whose text is longer than MaxText.
func tooLong(where string, bytes int) *research.Discarded {
	return discard(where, CodeTooBig, "It holds %.1f MB of text; at most %d MB are read of one document. Split it, or give the part that matters.", float64(bytes)/(1<<20), MaxText>>20)
}

func discard(where, code, format string, args ...any) *research.Discarded {
	return &research.Discarded{URL: where, Code: code, Reason: fmt.Sprintf(format, args...), StepIndex: -1}
}
