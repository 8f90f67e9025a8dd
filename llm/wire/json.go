package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/progrouter/progrouter/llm/chat"
)

// JSON makes a call outside a conversation, such as a list of models, and decodes
// the answer. A nil body asks with GET. c must be Guarded. Errors are *chat.Error
// or the context's.
func JSON(ctx context.Context, c *http.Client, address string, header http.Header, in, out any) error {
	method, body := http.MethodGet, io.Reader(nil)
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		method, body = http.MethodPost, bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return &chat.Error{Kind: chat.Rejected, Detail: "the server's address is not valid", Err: err}
	}
	for k, v := range header {
		r.Header[k] = v
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := c.Do(r)
	if err != nil {
		return Classed(ctx, err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return Classed(ctx, err)
	}
	return nil
}

// Classed makes an error of a library above a Guarded client a *chat.Error or
// the context's. What nobody classed yet is an answer that could not be read.
func Classed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *chat.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &chat.Error{Kind: chat.Garbage, Detail: "the answer ends in the middle", Err: err}
	}
	return &chat.Error{Kind: chat.Garbage, Detail: "the answer is not what the protocol says", Err: err}
}

// Base cleans a server's address: no spaces, no slash at the end, http where no
// scheme is given. empty is taken where there is none.
func Base(address, empty string) string {
	address = strings.TrimRight(strings.TrimSpace(address), "/")
	if address == "" {
		return empty
	}
	if u, err := url.Parse(address); err != nil || !strings.Contains(address, "://") || u.Host == "" {
		return "http://" + address
	}
	return address
}
