package ollama

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

func TestUnloadWaitsUntilTheModelIsGone(t *testing.T) {
	t.Parallel()
	var asked, looks atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/generate":
			var in struct {
				Model     string `json:"model"`
				KeepAlive *int   `json:"keep_alive"`
			}
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "m" || in.KeepAlive == nil || *in.KeepAlive != 0 {
				t.Errorf("asked for %+v, %v", in, err)
			}
			asked.Add(1)
			fmt.Fprint(w, `{"model":"m","done":true,"done_reason":"unload"}`)
		case "/api/ps":
			if looks.Add(1) < 3 {
				fmt.Fprint(w, `{"models":[{"name":"m:latest","model":"m:latest"}]}`)
				return
			}
			fmt.Fprint(w, `{"models":[]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	if err := New(Config{BaseURL: s.URL, Model: "m"}).Unload(t.Context()); err != nil || asked.Load() != 1 || looks.Load() != 3 {
		t.Errorf("%v after %d requests and %d looks", err, asked.Load(), looks.Load())
	}
}

func TestUnloadFailsWhereTheServerCannot(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if err := New(Config{BaseURL: s.URL, Model: "m"}).Unload(t.Context()); err == nil {
		t.Error("a server without the call has unloaded the model")
	}
}
