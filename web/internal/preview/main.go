// Command preview serves every page from the fixtures on loopback, to look at
// them while working on the design: ?lang=ko and ?theme=dark choose the variant.
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/static"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

func main() {
	addr := "127.0.0.1:8099"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := run(addr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(addr string) error {
	texts, err := i18n.New()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p := web.NewPage(texts.Localizer(r.FormValue("lang")), web.ParseTheme(r.FormValue("theme")), r.URL.RequestURI(), web.NavNone, fixture.Now())
		page, ok := fixture.Pages(p)[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'")
		if err := page.Render(r.Context(), w); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	})
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	fmt.Println("http://" + addr)
	return server.ListenAndServe()
}
