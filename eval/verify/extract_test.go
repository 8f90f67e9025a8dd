package verify

import (
	"strings"
	"testing"
)

func TestExtractCode(t *testing.T) {
	t.Parallel()
	entry := Task{Kind: Code, Entry: "f", Prompt: "def f(x):\n", Test: "x"}
	tests := Task{Kind: Code, Tests: []string{"assert f(1) == 1"}}
	for name, tc := range map[string]struct {
		task Task
		text string
		want string // empty: none
	}{
		"one block":              {entry, "A\n```python\ndef f(x):\n    return x\n```\nB", "def f(x):\n    return x"},
		"the last that defines":  {entry, "```python\ndef f(x): return 1\n```\n```python\ndef f(x): return 2\n```\n```python\nf(3)\n```", "def f(x): return 2"},
		"complete before cut":    {entry, "```python\ndef f(x): return 1\n```\n```python\ndef f(x): ret", "def f(x): return 1"},
		"cut":                    {entry, "```python\ndef f(x):\n    return x", "def f(x):\n    return x"},
		"cut helper":             {entry, "```python\ndef f(x): return g(x)\n```\nand\n```python\ndef g(x): re", "def f(x): return g(x)"},
		"none defines":           {entry, "```\nx = 1\n```\n```py\nreturn x\n```", "return x"},
		"python before others":   {entry, "```python\nreturn x\n```\n```text\n42\n```", "return x"},
		"only others":            {entry, "```text\nreturn 2\n```", "return 2"},
		"indented in a list":     {entry, "1. So:\n   ```python\n   def f(x):\n       return x\n   ```", "def f(x):\n    return x"},
		"tildes":                 {entry, "~~~python\ndef f(x): return '```'\n~~~", "def f(x): return '```'"},
		"longer fence":           {entry, "````python\ndef f(x):\n    '''\n```\n'''\n````", "def f(x):\n    '''\n```\n'''"},
		"carriage returns":       {entry, "```python\r\ndef f(x):\r\n    return x\r\n```\r\n", "def f(x):\n    return x"},
		"opening fence given":    {entry, "def f(x):\n    return x\n```\n", "def f(x):\n    return x"},
		"opening given, body":    {entry, "    return x\n```", "    return x"},
		"empty block":            {entry, "```python\n```", ""},
		"async":                  {entry, "```python\nasync def f(x): pass\n```\n```\nnothing\n```", "async def f(x): pass"},
		"class, indented":        {entry, "```python\nclass S:\n    def f(self, x): return x\n```", "class S:\n    def f(self, x): return x"},
		"raw":                    {entry, "import re\ndef f(x):\n    return x\n\nThat is all there is to it.", "import re\ndef f(x):\n    return x"},
		"raw after prose":        {entry, "Sure, here is the code.\n\ndef f(x):\n    return x", "def f(x):\n    return x"},
		"raw body":               {entry, "    y = x\n    return y\n", "    y = x\n    return y"},
		"raw body, then prose":   {entry, "    return x\n\nThis function returns x.", "    return x"},
		"raw body is for heads":  {tests, "    return x\n", ""},
		"prose":                  {entry, "The function returns its argument.", ""},
		"prose about the name":   {tests, "Call f with 1 and it gives 1.", ""},
		"tests: name from tests": {tests, "```python\ndef f(x): return x\n```\n```python\nprint(f(1))\n```", "def f(x): return x"},
		"docstring at margin":    {entry, "def f(x):\n    \"\"\"\nAny words here.\n    \"\"\"\n    return x", "def f(x):\n    \"\"\"\nAny words here.\n    \"\"\"\n    return x"},
		"nothing":                {entry, "", ""},
	} {
		got, ok := Extract(tc.task, tc.text)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: got %q, %v", name, got, ok)
		}
	}
}

func TestMathematics(t *testing.T) {
	t.Parallel()
	latex := func(answer string) Task {
		return Task{Kind: Mathematics, Answer: answer, Level: 1, Subject: "Algebra"}
	}
	number := func(answer string) Task { return Task{Kind: Mathematics, Answer: answer} }
	for name, tc := range map[string]struct {
		task Task
		text string
		code string
	}{
		"plain":                   {latex("7"), `So \boxed{7}.`, Passed},
		"wrong":                   {latex("7"), `So \boxed{8}.`, Wrong},
		"the last box":            {latex("7"), `\boxed{8}, no, \boxed{7}`, Passed},
		"the last box only":       {latex("7"), `\boxed{7}, no, \boxed{8}`, Wrong},
		"the last closed box":     {latex("7"), `\boxed{7} and \boxed{8`, Passed},
		"nested braces":           {latex(`\frac{1}{2}`), `$\boxed{\frac{1}{2}}$`, Passed},
		"escaped braces":          {latex(`\{1,2\}`), `\boxed{\{1,2\}}`, Passed},
		"spacing":                 {latex(`10,\!080 + x`), `\boxed{ 10,080\,+\; x }`, Passed},
		"quad":                    {latex(`1 \quad 2`), `\boxed{1\qquad2}`, Passed},
		"a line break stays":      {latex(`a \\ b`), `\boxed{a\\b}`, Passed},
		"left and right":          {latex(`\left(\frac{3}{5},2\right]`), `\boxed{(\frac35, 2]}`, Wrong},
		"left and right, same":    {latex(`\left( 3, \frac{\pi}{2} \right)`), `\boxed{(3,\frac{\pi}{2})}`, Passed},
		"arrows are no sides":     {latex(`\leftarrow`), `\boxed{arrow}`, Wrong},
		"text":                    {latex(`\text{(B)}`), `\boxed{(B)}`, Passed},
		"text in braces":          {latex(`\text{yes}`), `\boxed{\text{ yes }}`, Passed},
		"textbf is not text":      {latex(`\textbf{x}`), `\boxed{bf{x}}`, Wrong},
		"dfrac":                   {latex(`\frac{33}{100}`), `\boxed{\dfrac{33}{100}}`, Passed},
		"no algebra":              {latex(`\frac{1}{2}`), `\boxed{0.5}`, Wrong},
		"without a box":           {latex("7"), `The answer is 7.`, Missing},
		"empty box":               {latex("7"), `\boxed{}`, Missing},
		"number boxed":            {number("160"), `1 + 2. \boxed{160}`, Passed},
		"number boxed with words": {number("160"), `\boxed{160 \text{ flowers}}`, Passed},
		"number boxed in dollars": {number("1200"), `\boxed{\$1{,}200.00}`, Passed},
		"box before the rest":     {number("160"), `\boxed{160} which is 2 more than 158`, Passed},
		"after answer":            {number("18"), "3 + 15 = 18\nThe answer is $18.00. I used 2 steps.\n", Passed},
		"after answer, one line":  {number("18"), "The answer is $18.00.\nI used 2 steps.", Passed},
		"after the last answer":   {number("18"), "Answer: 17? No.\n**Answer:**\n\n18 apples", Passed},
		"after hashes":            {number("1234"), "5\n#### 1,234", Passed},
		"last number":             {number("12"), "We have 3 and 4, so 12.", Passed},
		"commas":                  {number("1000000"), "It is 1,000,000 in all", Passed},
		"a list is no thousand":   {number("4"), "They are 3,4", Passed},
		"negative":                {number("-5"), "so x is -5.", Passed},
		"subtraction":             {number("4"), "10-4", Passed},
		"not a prefix":            {number("18"), "It is 180.", Wrong},
		"decimals":                {number("18"), "It is 18.5", Wrong},
		"no number":               {number("18"), "I do not know.", Missing},
		"nothing":                 {number("18"), "", Missing},
	} {
		got, err := (&Verifier{}).Check(t.Context(), tc.task, tc.text)
		if err != nil || got.Code != tc.code || (got.Share == 1) != (tc.code == Passed) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if tc.code != Passed && tc.code != Wrong && strings.Contains(got.Said, tc.task.Answer) {
			t.Errorf("%s: the answer is told: %s", name, got.Said)
		}
	}
}
