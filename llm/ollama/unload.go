package ollama

import (
	"context"
	"errors"
	"time"
)

// How long Unload waits until the model is gone, and how often it looks.
const (
	unloadWithin = 10 * time.Second
	unloadLook   = 100 * time.Millisecond
)

var errStays = errors.New("the server keeps the model loaded")

// Unload makes the server forget the model and waits until it has, so that the
// next call loads it.
func (c *Client) Unload(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, unloadWithin, errStays)
	defer cancel()
	if err := c.call(ctx, "/api/generate", map[string]any{"model": c.cfg.Model, "keep_alive": 0, "stream": false}, &struct{}{}); err != nil {
		return err
	}
	look := time.NewTicker(unloadLook)
	defer look.Stop()
	for {
		if loaded, err := c.loaded(ctx, c.cfg.Model); err != nil || !loaded {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-look.C:
		}
	}
}
