package agents

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// prompt is a role's prompt: the newest version of its file. Older versions may
// stay beside it for comparison.
type prompt struct {
	role    research.Role
	version string
	schema  json.RawMessage
	retry   string // the shape that is asked for again when an answer cannot be read
}

// name is what is recorded with a call.
func (p prompt) name() string { return string(p.role) + "/" + p.version }

var prompts = map[research.Role]prompt{
	research.Planner: {
		role: research.Planner, version: "v1", retry: `{"subquestions":[],"queries":[]}`,
		schema: schema(`"subquestions":{"type":"array","items":{"type":"string"}},"queries":{"type":"array","items":{"type":"string"}}`, "subquestions", "queries"),
	},
	research.Searcher: {
		role: research.Searcher, version: "v1", retry: `{"queries":[{"part":"q1","query":""}]}`,
		schema: schema(`"queries":{"type":"array","items":`+string(schema(`"part":{"type":"string"},"query":{"type":"string"}`, "part", "query"))+`}`, "queries"),
	},
	research.Reader: {
		role: research.Reader, version: "v1", retry: `{"use":[1,2]}`,
		schema: schema(`"use":{"type":"array","items":{"type":"integer"}}`, "use"),
	},
	research.Writer: {
		role: research.Writer, version: "v1", retry: `{"claims":[{"text":"","cite":["e1"]}],"summary":""}`,
		schema: schema(`"claims":{"type":"array","items":`+
			string(schema(`"text":{"type":"string"},"cite":{"type":"array","items":{"type":"string"}}`, "text", "cite"))+
			`},"summary":{"type":"string"}`, "claims", "summary"),
	},
	research.Reviewer: {
		role: research.Reviewer, version: "v1", retry: `{"not_supported":[1]}`,
		schema: schema(`"not_supported":{"type":"array","items":{"type":"integer"}}`, "not_supported"),
	},
}

// schema is that of an object with all the properties named.
func schema(properties string, required ...string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":["` + strings.Join(required, `","`) + `"],"additionalProperties":false}`)
}

// render fills a prompt in. What comes from pages or models goes through fence,
// which puts it between the marks of this call.
func (p prompt) render(mark string, data any) (chat.Request, error) {
	t, err := template.New("").Funcs(template.FuncMap{"fence": func(lines []string) string { return fence(mark, lines) }}).
		ParseFS(promptFiles, fmt.Sprintf("prompts/%s.%s.tmpl", p.role, p.version))
	if err != nil {
		return chat.Request{}, fmt.Errorf("prompt %s: %w", p.name(), err)
	}
	r := chat.Request{Schema: p.schema, Name: string(p.role)}
	for _, part := range [...]struct{ name, role string }{{"system", chat.System}, {"user", chat.User}} {
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, part.name, data); err != nil {
			return chat.Request{}, fmt.Errorf("prompt %s: %w", p.name(), err)
		}
		r.Messages = append(r.Messages, chat.Message{Role: part.role, Text: b.String()})
	}
	return r, nil
}

// again is the request of a repair turn: the same prompt, which servers have in
// their cache, with what was wrong. The answer itself is not sent back: it may
// hold what a page planted.
func (p prompt) again(r chat.Request, wrong string) chat.Request {
	msgs := append([]chat.Message(nil), r.Messages...)
	last := &msgs[len(msgs)-1]
	last.Text += "\n\nYour last answer could not be used: " + wrong + " Answer with JSON of this form and nothing else: " + p.retry
	r.Messages = msgs
	return r
}

// languageName is a language as prompts name it.
func languageName(tag string) string {
	names := map[string]string{
		"en": "English", "ko": "Korean", "ja": "Japanese", "zh": "Chinese", "de": "German", "es": "Spanish", "fr": "French",
		"it": "Italian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian",
	}
	if n, ok := names[tag]; ok {
		return n
	}
	return "the language of the question"
}
