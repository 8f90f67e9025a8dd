//go:build !linux || (!amd64 && !arm64)

package sandbox

import (
	"context"
	"runtime"
)

func open(context.Context, Config) (*Sandbox, error) {
	return nil, unsafe("it runs %s/%s, and only Linux on amd64 or arm64 can confine them. Run this command there, for example in a container.", runtime.GOOS, runtime.GOARCH)
}

func (s *Sandbox) run(context.Context, string) (Result, error) {
	_, err := open(context.Background(), Config{})
	return Result{}, err
}
