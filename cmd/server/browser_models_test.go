package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// browserModels takes a found Ollama by one click, connects a service with a key
// on a phone, tests, changes and removes models.
func browserModels(t *testing.T, browser context.Context) {
	ollama, service := pretendOllama(t), pretendOpenAI(t, "sk-right")
	s := startSite(t, func(c *Config) { c.OllamaURL = ollama })
	b := newTab(t, browser, s)
	b.open("/")
	b.until("the models are proposed", `document.querySelector(".proposal") || (location.reload(), false)`)
	b.shot("models-proposed")
	b.click(".proposal button.primary")
	b.untilText(".flash", "in use from the next step on")
	if b.count(".proposal") != 0 || strings.Contains(b.text(".ask-aside"), "No language model is used") {
		t.Errorf("the first page says %q", b.text(".ask-aside"))
	}

	b.open("/settings")
	if got := b.text("#models"); !strings.Contains(got, "ollama/llama3.2:3b") || !strings.Contains(got, "stands in where no language model can") {
		t.Errorf("the settings say %q", got)
	}

	// Another service, on a phone, with a wrong key at first.
	b.size(390, 844)
	b.open("/settings")
	b.click(`.presets a[href*="connect=other"]`)
	b.until("the form is there", `document.querySelector("#connect form.card")`)
	b.fill("#connect-name", "mine")
	b.fill("#connect-base_url", service)
	b.fill("#connect-key", "sk-wrong")
	b.click("#connect form.card button.primary")
	b.untilText(".flash", "The server is connected")
	b.untilText("#models .problem", "refuses the key")
	row := "#" + get[string](b, `[...document.querySelectorAll(".server-list > li")].find(l => l.innerText.startsWith("mine")).id`)
	b.click(row + " .model-edit > summary")
	b.fill(row+"-key", "sk-right")
	b.click(row + " .model-edit button.primary")
	b.untilText(".flash", "was changed")
	b.click(row + " .model-tools > a.button") // exchanged in place
	b.until("its models are listed", `document.querySelector("`+row+`-models select")`)
	b.do(chromedp.SetValue(chromedp.CSS(row+"-pick-0"), "medium"))
	b.click(row + "-models button.primary")
	b.untilText(".flash", "in use")
	b.shot("models-phone")
	if wide := get[int](b, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone", wide)
	}
	if body := get[string](b, "document.documentElement.outerHTML"); strings.Contains(body, "sk-right") || strings.Contains(body, "sk-wrong") {
		t.Error("a key is on the page")
	}

	model := get[string](b, `[...document.querySelectorAll(".model-list > li")].find(l => l.innerText.includes("mine/gpt-x")).id`)
	b.click("#" + model + "-test button")
	b.untilText("#"+model+"-test", "Ready")
	if got := b.text("#" + model + "-test"); !strings.Contains(got, "12 read, 2 written") || !strings.Contains(got, "gpt-x-2026") {
		t.Errorf("the test says %q", got)
	}

	// A fault stands beside its field, in the form that is still open.
	b.expect("422")
	b.click("#" + model + " .model-edit > summary")
	b.fill("#"+model+"-parameters", "eight")
	b.click("#" + model + " .model-edit button.primary")
	b.untilText("#"+model+"-parameters-problem", "is not a number")
	b.fill("#"+model+"-parameters", "8")
	b.fill("#"+model+"-price_input", "1")
	b.fill("#"+model+"-price_output", "5")
	b.shot("model-form-phone")
	b.click("#" + model + " .model-edit button.primary")
	b.untilText("#"+model, "$5.00 out")
	if got := b.text("#" + model); !strings.Contains(got, "guess") || !strings.Contains(got, "$5.00 out") {
		t.Errorf("with its size known: %q", got)
	}

	// The timeline of a run with calls of models stays within a phone.
	id := get[string](b, `fetch("/api/v1/runs", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({question: "How does ProgRouter keep a run within its budget?", library: true, depth: "quick", policy: "fixed-medium"})}).then(r => r.json()).then(r => r.id)`)
	b.open("/runs/" + id)
	b.until("the run has ended", `!document.querySelector(".status-running, .status-queued") && document.querySelector(".call-facts")`)
	for _, lang := range []string{"en", "ko"} {
		b.prefer("lang", lang)
		b.open("/runs/" + id + "/timeline")
		if wide := get[int](b, "document.documentElement.scrollWidth"); wide > 390 {
			t.Errorf("the timeline is %d wide on a phone: %s", wide, get[string](b, fmt.Sprintf(widest, 390)))
		}
	}
	b.prefer("lang", "en")
	b.open("/settings")

	b.click(row + " .model-edit > summary")
	b.click(row + ` .model-edit button[formaction$="remove"]`)
	b.untilText(".flash", "were removed")
	if strings.Contains(b.text("#models"), "mine/") {
		t.Error("models of the removed server are left")
	}
}
