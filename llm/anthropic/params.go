package anthropic

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// Ways to get an answer of a form.
const (
	byFormat = iota // the server constrains it (output_config)
	byTool          // as the input of a tool that has to be called
	byPrompt        // nothing but the prompt asks for it
)

// defaultMax caps answers whose request has no cap, which the protocol demands.
const defaultMax = 4096

// abilities is what a model is thought to take.
type abilities struct {
	schema      int
	temperature bool
	stop        bool
}

func expected(schema string) abilities {
	a := abilities{temperature: true, stop: true}
	if schema == research.SchemaNone || schema == research.SchemaObject {
		a.schema = byPrompt
	}
	return a
}

// without returns the abilities less the one that the server's words (lower case)
// are about, and whether there is one.
func (a abilities) without(said string, status int) (abilities, bool) {
	if status != http.StatusBadRequest {
		return a, false
	}
	has := func(s string) bool { return strings.Contains(said, s) }
	switch {
	case a.schema == byFormat && (has("output_config") || has("output_format") || has("structured output") || has("schema")):
		a.schema = byTool
	case a.schema == byTool && (has("tool") || has("schema")):
		a.schema = byPrompt
	case a.temperature && has("temperature"):
		a.temperature = false
	case a.stop && has("stop_sequences"):
		a.stop = false
	default:
		return a, false
	}
	return a, true
}

func params(model string, r chat.Request, able abilities) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: model, MaxTokens: int64(r.MaxTokens)}
	if p.MaxTokens <= 0 {
		p.MaxTokens = defaultMax
	}
	for _, m := range r.Messages {
		switch m.Role {
		case chat.System:
			p.System = append(p.System, anthropic.TextBlockParam{Text: m.Text})
		case chat.Assistant:
			p.Messages = append(p.Messages, anthropic.NewAssistantMessage(anthropic.NewTextBlock(m.Text)))
		default:
			p.Messages = append(p.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(m.Text)))
		}
	}
	if able.temperature {
		p.Temperature = param.NewOpt(min(r.Temperature, 1))
	}
	if able.stop {
		p.StopSequences = r.Stop
	}
	if r.Schema != nil {
		form(&p, r, able.schema)
	}
	return p
}

func form(p *anthropic.MessageNewParams, r chat.Request, how int) {
	var schema map[string]any
	if json.Unmarshal(r.Schema, &schema) != nil {
		return // not an object: the prompt has to do
	}
	switch how {
	case byFormat:
		p.OutputConfig.Format.Schema = schema
	case byTool:
		name := r.Name
		if name == "" {
			name = "answer"
		}
		delete(schema, "type") // always object, and set by the library
		tool := anthropic.ToolParam{Name: name, InputSchema: anthropic.ToolInputSchemaParam{ExtraFields: schema},
			Description: param.NewOpt("Takes the answer.")}
		p.Tools = []anthropic.ToolUnionParam{{OfTool: &tool}}
		p.ToolChoice = anthropic.ToolChoiceParamOfTool(name)
	}
}
