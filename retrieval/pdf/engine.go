package pdf

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// engine is the WebAssembly runtime: started when first needed, closed after
// idle time without a user. Starting takes seconds without a compilation cache
// and a fraction of a second with one.
type engine struct {
	cacheDir string
	idle     time.Duration

	mu    sync.Mutex
	pool  pdfium.Pool
	cache wazero.CompilationCache
	users int
	timer *time.Timer
	shut  bool
}

// take returns a fresh instance; the caller must hand it to put.
func (e *engine) take(ctx context.Context) (pdfium.Pdfium, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.shut {
		return nil, fmt.Errorf("PDF engine is closed")
	}
	if e.timer != nil {
		e.timer.Stop()
	}
	if e.pool == nil {
		if err := e.start(); err != nil {
			return nil, err
		}
	}
	instance, err := e.pool.GetInstanceWithContext(ctx)
	if err != nil {
		e.rest()
		return nil, fmt.Errorf("PDF engine instance: %w", err)
	}
	e.users++
	return instance, nil
}

func (e *engine) start() error {
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling)
	if e.cacheDir != "" {
		// Without a usable folder the engine still runs, it only starts slower.
		if cache, err := wazero.NewCompilationCacheWithDir(e.cacheDir); err == nil {
			e.cache = cache
			config = config.WithCompilationCache(cache)
		}
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal: 2, MaxIdle: 0, MinIdle: 0,
		FSConfig:      wazero.NewFSConfig(), // the default would mount the root folder
		RuntimeConfig: config,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		e.stop()
		return fmt.Errorf("starting the PDF engine: %w", err)
	}
	e.pool = pool
	return nil
}

// put gives an instance back; its memory goes with it.
func (e *engine) put(instance pdfium.Pdfium) {
	_ = instance.Close() // the instance is not used again, whatever it says
	e.mu.Lock()
	defer e.mu.Unlock()
	e.users--
	e.rest()
}

// rest arms the idle timer when nobody works.
func (e *engine) rest() {
	if e.users > 0 {
		return
	}
	if e.shut {
		e.stop()
		return
	}
	e.timer = time.AfterFunc(e.idle, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.users == 0 {
			e.stop()
			debug.FreeOSMemory() // tens of megabytes that would otherwise linger
		}
	})
}

func (e *engine) stop() {
	if e.pool != nil {
		_ = e.pool.Close()
		e.pool = nil
	}
	if e.cache != nil {
		_ = e.cache.Close(context.Background())
		e.cache = nil
	}
}

func (e *engine) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shut = true
	if e.timer != nil {
		e.timer.Stop()
	}
	if e.users == 0 {
		e.stop()
	}
}

func (e *engine) running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pool != nil
}
