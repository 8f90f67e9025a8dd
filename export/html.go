package export

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"

	"github.com/progrouter/progrouter/research"
)

//go:embed report.css
var reportCSS string

//go:embed report.gohtml
var reportTemplate string

// HTML renders the report as one file without scripts or outside resources. Its
// content security policy allows only its own style sheet, by hash, so that even
// a hole in escaping could not run or load anything.
func HTML(l *research.Ledger, lang string) (string, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"stamp": stamp, "sourceName": sourceName, "oneLine": oneLine, "href": href,
	}).Parse(reportTemplate)
	if err != nil {
		return "", err
	}
	o, err := newOutline(l, lang)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, page{outline: o, Work: workRows(l, o.Words), Chart: energyChart(l, o.Words), CSS: template.CSS(reportCSS), Policy: contentPolicy(reportCSS)}) //nolint:gosec // our own embedded style sheet
	return strings.TrimRight(b.String(), "\n") + "\n", err
}

type page struct {
	outline
	Work   []workRow
	Chart  template.HTML
	CSS    template.CSS
	Policy string
}

func contentPolicy(css string) string {
	sum := sha256.Sum256([]byte(css))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
}

// href is the address of a link, empty when it must not be one.
func href(address string) string {
	u, _ := webAddress(address)
	return u
}
