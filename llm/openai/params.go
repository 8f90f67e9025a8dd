package openai

import (
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

func params(model string, r chat.Request, able abilities) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: model, Messages: messages(r.Messages, able.system)}
	if able.temperature {
		p.Temperature = param.NewOpt(r.Temperature)
	}
	if able.usage {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	if able.seed && r.Seed != nil {
		p.Seed = param.NewOpt(*r.Seed)
	}
	if able.stop && len(r.Stop) > 0 {
		p.Stop.OfStringArray = r.Stop
	}
	if r.MaxTokens > 0 {
		switch able.cap {
		case oldCap:
			p.MaxTokens = param.NewOpt(int64(r.MaxTokens))
		case newCap:
			p.MaxCompletionTokens = param.NewOpt(int64(r.MaxTokens))
		}
	}
	if r.Schema != nil {
		p.ResponseFormat = format(r, able.schema)
	}
	return p
}

func format(r chat.Request, how string) openai.ChatCompletionNewParamsResponseFormatUnion {
	var f openai.ChatCompletionNewParamsResponseFormatUnion
	switch how {
	case research.SchemaFull:
		name := r.Name
		if name == "" {
			name = "answer"
		}
		// Not strict: that allows a subset of JSON schema only, and servers
		// constrain by the schema without it.
		f.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: name, Schema: r.Schema},
		}
	case research.SchemaObject:
		f.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return f
}

// messages are the turns in the protocol's form. Where a model's template knows
// no system messages, theirs go before the first turn of the user.
func messages(turns []chat.Message, system bool) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	before := ""
	for _, m := range turns {
		switch {
		case m.Role == chat.System && system:
			out = append(out, openai.SystemMessage(m.Text))
		case m.Role == chat.System:
			before += m.Text + "\n\n"
		case m.Role == chat.Assistant:
			out = append(out, openai.AssistantMessage(m.Text))
		default:
			out = append(out, openai.UserMessage(before+m.Text))
			before = ""
		}
	}
	if before != "" {
		out = append(out, openai.UserMessage(before))
	}
	return out
}
