package openai

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Names of the parameter that caps an answer.
const (
	oldCap = "max_tokens"
	newCap = "max_completion_tokens"
)

// abilities is what a server is thought to take.
type abilities struct {
	schema      string // how JSON is asked for
	cap         string // the name of the cap; empty: none is taken
	triedBoth   bool   // both names were rejected once
	usage       bool   // stream_options.include_usage
	seed        bool
	temperature bool
	stop        bool
	system      bool // messages of the system
}

func expected(c Config) abilities {
	a := abilities{schema: c.Schema, cap: oldCap, usage: true, seed: true, temperature: true, stop: true, system: true}
	if a.schema == "" {
		a.schema = research.SchemaFull
	}
	if u, err := url.Parse(c.BaseURL); err == nil && strings.HasSuffix(u.Hostname(), "openai.com") {
		a.cap = newCap
	}
	return a
}

// without returns the abilities less the one that the server's words (lower case)
// are about, and whether there is one. Every step takes something away, so that a
// server that rejects everything is given up soon.
func (a abilities) without(said string, status int) (abilities, bool) {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented, http.StatusInternalServerError:
	default:
		return a, false
	}
	switch {
	case a.schema != research.SchemaNone && contains(said, "response_format", "json_schema", "json_object", "json schema", "structured output", "grammar", "guided_json", "response format"):
		a.schema = lesser(a.schema)
	case a.cap != "" && contains(said, oldCap, newCap) && contains(said, "unsupported", "not supported", "unrecognized", "unknown", "unexpected", "extra", "instead", "not permitted", "not allowed"):
		a.cap, a.triedBoth = otherCap(a), true
	case a.usage && contains(said, "stream_options", "include_usage"):
		a.usage = false
	case a.temperature && strings.Contains(said, "temperature"):
		a.temperature = false
	case a.seed && contains(said, "'seed'", "\"seed\"", " seed", "seed:"):
		a.seed = false
	case a.stop && contains(said, "'stop'", "\"stop\"", "stop parameter", "parameter: stop", "stop sequence"):
		a.stop = false
	case a.system && contains(said, "system role", "role system", "system message", "developer instruction", "roles must alternate"):
		a.system = false
	default:
		return a, false
	}
	return a, true
}

func lesser(schema string) string {
	if schema == research.SchemaFull {
		return research.SchemaObject
	}
	return research.SchemaNone
}

func otherCap(a abilities) string {
	switch {
	case a.triedBoth:
		return ""
	case a.cap == oldCap:
		return newCap
	}
	return oldCap
}

func contains(s string, any ...string) bool {
	for _, a := range any {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}
