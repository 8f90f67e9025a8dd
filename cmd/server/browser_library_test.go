package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/progrouter/progrouter/research"
)

const tidesDocument = `# The tidal mill of Port Gwyn

The tidal mill of Port Gwyn grinds grain with the water that the flood leaves behind its dam. The pond holds enough water for five hours of work after high tide.

## Upkeep

The wheel of the mill is made of oak and is replaced every eighteen years. The sluice gates are greased with tallow each spring, before the highest tides of the year.
`

// browserLibrary adds a document on a phone, asks about it and removes it.
func browserLibrary(t *testing.T, browser context.Context) {
	s := startSite(t, nil)
	b := newTab(t, browser, s)
	b.size(390, 844)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "mill.md"), filepath.Join(dir, "empty.txt")
	for path, text := range map[string]string{good: tidesDocument, bad: " \n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.open("/library")
	before := b.count(".document-list > li")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#files"), []string{good, bad}))
	b.click(".upload button.primary")
	b.until("both files are answered for", `document.querySelectorAll(".upload-results li").length === 2`)
	if got := b.text(".upload-results"); !strings.Contains(got, "mill.md") || !strings.Contains(got, "empty.txt") || b.count(".upload-results .bad") != 1 {
		t.Errorf("the upload says %q", got)
	}
	if n := b.count(".document-list > li"); n != before+1 {
		t.Errorf("%d documents, %d before", n, before)
	}

	b.ask("How often is the wheel of the tidal mill replaced?", b.policy(research.FixedSmall))
	b.untilStatus("complete")
	if got := b.text("#run-report"); !strings.Contains(got, "eighteen years") || !strings.Contains(got, "tidal mill of Port Gwyn") {
		t.Errorf("the report does not cite the document:\n%s", got)
	}
	b.click("#run-report .cite")
	b.untilText(".popover:popover-open", "eighteen years")
	if wide := get[int](b, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone", wide)
	}

	b.open("/library?q=tidal")
	b.untilText(".document-list", "tidal mill of Port Gwyn")
	b.click(".document-list form button")
	b.untilText(".flash", "removed")
	b.open("/library?q=tidal")
	b.untilText(".documents", "No document matches")
	b.open("/runs")
	b.click("#runs .run-question")
	b.untilText("#run-report", "eighteen years") // the run keeps its copy
}
