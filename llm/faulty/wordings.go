package faulty

import "net/http"

// Wording is how a kind of server says that a prompt is too long.
type Wording struct {
	Server string
	Status int
	Body   string
}

// Wordings are those of the common servers, from their source and documentation.
func Wordings() []Wording {
	return []Wording{
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 10021 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`},
		{"llama.cpp, older", 500, `{"error":{"code":500,"message":"Context size exceeded","type":"server_error"}}`},
		{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}`},
		{"vLLM, later", 400, `{"error":{"message":"You passed 5001 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`},
		{"vLLM, prompt", 400, `{"error":{"message":"The decoder prompt (length 9000) is longer than the maximum model length of 4096. Make sure that max_model_len is no smaller than the number of text tokens.","type":"BadRequestError","code":400}}`},
		{"Ollama", 400, `{"error":{"message":"the input length exceeds the context length","type":"invalid_request_error","param":null,"code":null}}`},
		{"Ollama, native", 500, `{"error":"prompt too long; exceeded max context length by 20 tokens"}`},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`},
		{"Anthropic, with output", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 190000 + 20000 > 200000, decrease input length or ` + "`max_tokens`" + ` and try again"}}`},
		{"Anthropic, bytes", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes."}}`},
		{"OpenRouter", 400, `{"error":{"message":"This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text input, 1000 in the output).","code":400,"metadata":{"provider_name":null}}}`},
		{"LM Studio", 400, `{"error":"Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}`},
		{"LM Studio, kept", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}`},
		{"Gemini", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`},
	}
}

// TooLong answers in a wording.
func TooLong(w Wording) Behaviour {
	b := Says(w.Status, "application/json", w.Body)
	b.Name = "too long, " + w.Server
	return b
}

// Passing are the behaviours that another attempt may cure.
func Passing() []Behaviour {
	return []Behaviour{
		RateLimited(""), RateLimited("1"), Status(http.StatusInternalServerError), Status(http.StatusServiceUnavailable),
		BadGateway(), HangUp(), Cut(2), Ends(2), ErrsAfter(2), Garbage(), TruncatedJSON(), WebPage(),
	}
}
