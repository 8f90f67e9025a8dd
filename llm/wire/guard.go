package wire

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
)

// guard is the transport that watches answers.
type guard struct {
	next http.RoundTripper
	mask mask
	now  func() time.Time
}

// RoundTrip implements http.RoundTripper. Failures of the server are errors here,
// so that they are classed in one place whatever library sits above.
func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, g.failed(r.Context(), err)
	}
	chat.Alive(r.Context())
	if res.StatusCode >= 400 {
		defer res.Body.Close()
		// What cannot be read of an error leaves its status, which says enough.
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxError))
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
		return nil, g.mask.class(res.StatusCode, res.Header, text, g.now())
	}
	if res.StatusCode >= 300 && res.Header.Get("Location") != "" {
		return res, nil // the client follows it, or refuses to
	}
	if kind := contentType(res); kind == "text/html" || kind == "application/xhtml+xml" || strings.HasPrefix(kind, "image/") {
		res.Body.Close()
		return nil, &chat.Error{Kind: chat.Garbage, Status: res.StatusCode,
			Detail: "the server sent " + kind + " where an answer was expected"}
	}
	res.Body = &body{ReadCloser: res.Body, ctx: r.Context(), left: maxBody, guard: g}
	return res, nil
}

func contentType(res *http.Response) string {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return kind
}

// failed classes an error of the transport.
func (g guard) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return g.mask.transport(err)
}

// body reports signs of life, ends at the limit and classes what breaks off.
type body struct {
	io.ReadCloser
	ctx   context.Context
	left  int
	guard guard
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		chat.Alive(b.ctx)
	}
	b.left -= n
	if b.left < 0 {
		return 0, &chat.Error{Kind: chat.Garbage, Detail: "the answer is larger than 32 MB"}
	}
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	if b.ctx.Err() != nil {
		return n, b.ctx.Err()
	}
	return n, &chat.Error{Kind: chat.Cut, Detail: b.guard.mask.detail(cause(err)), Err: err}
}
