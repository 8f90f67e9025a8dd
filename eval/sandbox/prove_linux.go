//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	_ "embed"
	"strings"
)

//go:embed prove.py
var prove string

// open resolves the interpreter and proves that every protection holds.
func open(ctx context.Context, cfg Config) (*Sandbox, error) {
	python, err := interpreter(ctx, cfg.Python)
	if err != nil {
		return nil, err
	}
	code, err := filter()
	if err != nil {
		return nil, unsafe("the filter of system calls cannot be built.").Wrap(err)
	}
	s := &Sandbox{cfg: cfg, python: python, filter: code}
	res, said, err := s.start(ctx, prove)
	switch {
	case err != nil:
		return nil, err
	case !strings.HasPrefix(said, "ok"):
		return nil, refused(said, res)
	case !res.OK() || !strings.HasPrefix(res.Report, "held\n"):
		return nil, unsafe("the test of the protections failed: %s%s", strings.ReplaceAll(strings.TrimSpace(res.Report), "\n", ", "), strings.TrimSpace(res.Stderr))
	}
	s.hides = strings.Contains(said, "hides")
	return s, nil
}
