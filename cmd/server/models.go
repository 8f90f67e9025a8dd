package main

import (
	"github.com/progrouter/progrouter/llm/embedded"
)

// languageModels says whether a language model may take steps.
func (a *app) languageModels() bool {
	for _, m := range a.registry.Models() {
		if !embedded.Owns(m.Name) {
			return true
		}
	}
	return false
}
