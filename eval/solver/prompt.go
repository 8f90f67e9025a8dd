package solver

import (
	"fmt"
	"strings"

	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/llm/chat"
)

const (
	codeSystem = "You write correct Python 3. Answer with one Python code block that holds the complete function and the imports it needs. Explain nothing."
	mathSystem = "You solve mathematics problems. Work step by step, in few words. End with the final answer as \\boxed{answer}."
)

// messages asks for an answer to a task. said is what the verifier said of an
// earlier answer; empty asks afresh.
func messages(t verify.Task, said string) []chat.Message {
	system, user := codeSystem, t.Prompt
	switch {
	case t.Kind == verify.Mathematics:
		system = mathSystem
	case t.Entry != "":
		user = "Complete this function.\n\n```python\n" + strings.TrimSpace(t.Prompt) + "\n```"
	case len(t.Tests) > 0:
		user = fmt.Sprintf("%s\n\nThe function must pass these tests:\n\n```python\n%s\n```", t.Prompt, strings.Join(t.Tests, "\n"))
	}
	if said != "" {
		user += "\n\nAn earlier answer failed: " + said + "\nFind the mistake and answer anew."
	}
	return []chat.Message{{Role: chat.System, Text: system}, {Role: chat.User, Text: user}}
}

// stops end an answer that goes on after its code block.
func stops(t verify.Task) []string {
	if t.Kind == verify.Mathematics {
		return nil
	}
	return []string{"```\n\n"}
}
