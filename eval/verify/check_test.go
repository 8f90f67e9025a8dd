//go:build linux && (amd64 || arm64)

package verify

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/progrouter/progrouter/eval/sandbox"
)

func newVerifier(t *testing.T) *Verifier {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("CI") == "" {
		t.Skip("python3 is not installed")
	}
	s, err := sandbox.New(t.Context(), sandbox.Config{CPU: time.Second, Wall: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return &Verifier{Sandbox: s}
}

func check(t *testing.T, v *Verifier, task Task, text string) Verdict {
	t.Helper()
	got, err := v.Check(t.Context(), task, text)
	if err != nil {
		t.Fatal(err)
	}
	if utf8.RuneCountInString(got.Said) > saidLimit || got.Share < 0 || got.Share > 1 || (got.Code == Passed) != (got.Share == 1) {
		t.Errorf("got %+v", got)
	}
	return got
}

func fenced(code string) string { return "Here it is:\n\n```python\n" + code + "\n```\nIt works." }

var (
	double = Task{ID: "own/double", Kind: Code, Entry: "double",
		Prompt: "from typing import List\n\n\ndef shift(n: int) -> int:\n    return n + 1\n\n\ndef double(xs: List[int]) -> List[int]:\n    \"\"\" Double every number.\n    >>> double([1])\n    [2]\n    \"\"\"\n",
		Test:   "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    import math\n    assert True, 'says nothing'\n    assert candidate([]) == []\n    assert candidate([1]) == [2], 'one'\n    assert candidate([shift(1), 3]) == [4, 6]\n    for i in range(7):\n        assert math.fabs(candidate([i])[0] - 2 * i) < 1e-6\n"}
	total = Task{ID: "own/total", Kind: Code, Prompt: "Write a function that adds the numbers of a list.",
		Tests: []string{"assert add_up([1, 2]) == 3", "assert add_up([]) == 0", "assert abs(add_up([0.1, 0.2]) - 0.3) < 1e-9", "assert set([add_up([5])]) == {5}"}}
)

func TestCodeVerdicts(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	for name, tc := range map[string]struct {
		task  Task
		text  string
		code  string
		share float64
		said  string
	}{
		"right":                       {double, fenced("def double(xs):\n    return [2 * x for x in xs]"), Passed, 1, ""},
		"uses the prompt's import":    {double, fenced("def double(xs: List[int]) -> List[int]:\n    return [2 * x for x in xs]"), Passed, 1, ""},
		"uses the prompt's helper":    {double, fenced("def double(xs):\n    return [x + shift(x) - 1 for x in xs]"), Passed, 1, ""},
		"repeats the prompt":          {double, fenced(double.Prompt + "    return [2 * x for x in xs]"), Passed, 1, ""},
		"a body":                      {double, "    return [2 * x for x in xs]\n", Passed, 1, ""},
		"a body without indentation":  {double, fenced("out = []\nfor x in xs:\n    out.append(2 * x)\nreturn out"), Passed, 1, ""},
		"a body, first line bare":     {double, "out = []\n    for x in xs:\n        out.append(2 * x)\n    return out", Passed, 1, ""},
		"cut fence":                   {double, "```python\ndef double(xs):\n    return [2 * x for x in xs]", Passed, 1, ""},
		"prints":                      {double, fenced("print('x' * 100000)\ndef double(xs):\n    print(xs)\n    return [2 * x for x in xs]"), Passed, 1, ""},
		"a lambda":                    {double, fenced("double = lambda xs: [2 * x for x in xs]"), Passed, 1, ""},
		"from the future":             {double, fenced("from __future__ import annotations\ndef double(xs: list[int]):\n    return [2 * x for x in xs]"), Passed, 1, ""},
		"a main part":                 {double, fenced("def double(xs):\n    return [2 * x for x in xs]\n\nif __name__ == '__main__':\n    print(double(input()))"), Passed, 1, ""},
		"stdlib that looks at frames": {double, fenced("import collections, dataclasses, enum, inspect, typing, functools\nP = collections.namedtuple('P', 'x')\n@dataclasses.dataclass\nclass D:\n    x: int\nclass E(enum.Enum):\n    A = 1\nclass N(typing.NamedTuple):\n    x: int\n@functools.lru_cache\ndef two(x): return 2 * x\ndef double(xs):\n    return [D(N(P(two(x)).x).x).x for x in xs]"), Passed, 1, ""},
		"partly":                      {double, fenced("def double(xs):\n    return [2 for x in xs]"), Partly, 0.3, "assert candidate([shift(1), 3]) == [4, 6] — it gave [2, 2]"},
		"wrong":                       {double, fenced("def double(xs):\n    return None"), Wrong, 0, "assert candidate([]) == [] — it gave None"},
		"raises always":               {double, fenced("def double(xs):\n    return xs.missing"), Broken, 0, "it raised AttributeError: 'list' object has no attribute 'missing'"},
		"raises at once":              {double, fenced("import no_such_module\ndef double(xs):\n    return xs"), Broken, 0, "ModuleNotFoundError: No module named 'no_such_module'"},
		"is no program":               {double, fenced("def double(xs):\n    return [2 * x for x in xs"), Syntax, 0, "on line 2: return [2 * x for x in xs"},
		"holds nothing":               {double, "I would rather not.", Missing, 0, "no Python code"},
		"empty":                       {double, "", Missing, 0, "no Python code"},
		"never ends":                  {double, fenced("def double(xs):\n    while xs: pass\n    return []"), Timeout, 0.25, "did not end"},
		"never ends at once":          {double, fenced("while True: pass\ndef double(xs):\n    return []"), Timeout, 0, "did not end"},
		"takes all memory":            {double, fenced("def double(xs):\n    return [0] * 10 ** 10 if xs else xs"), Timeout, 0.1, "memory"},
		"recursion":                   {double, fenced("def double(xs):\n    return double(xs)"), Broken, 0, "RecursionError"},
		"other name":                  {double, fenced("def twice(xs):\n    return [2 * x for x in xs]"), Wrong, 0, "it gave None"},

		"tests: right":      {total, fenced("def add_up(xs):\n    return sum(xs)"), Passed, 1, ""},
		"tests: partly":     {total, fenced("def add_up(xs):\n    return 3"), Partly, 0.25, "assert add_up([]) == 0 — it gave 3"},
		"tests: other name": {total, fenced("def add(xs):\n    return sum(xs)"), Broken, 0, "NameError: name 'add_up' is not defined"},
		"tests: bare":       {total, "Sure!\ndef add_up(xs):\n    return sum(xs)\n\nThis adds them.", Passed, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := check(t, v, tc.task, tc.text)
			if got.Code != tc.code || got.Share < tc.share-0.01 || got.Share > tc.share+0.01 || !strings.Contains(got.Said, tc.said) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Whatever a program does to seem right, it does not pass.
func TestTamperingDoesNotPass(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	always := "class A(list):\n    def __eq__(self, o): return True\n    def __sub__(self, o): return 0\n    def __getitem__(self, i): return self\n"
	for name, program := range map[string]string{
		"exit":                  "import sys\nsys.exit(0)\ndef double(xs): pass",
		"exit when called":      "import sys\ndef double(xs): sys.exit(0)",
		"hard exit":             "import os\nos._exit(0)\ndef double(xs): pass",
		"hard exit when called": "import os\ndef double(xs): os._exit(0)",
		"prints success":        "print('passed')\ndef double(xs):\n    print('{\"stage\": \"original\", \"passed\": true}')",
		"reports success":       "import os\ndef double(xs):\n    os.write(3, b'x {\"stage\": \"original\", \"passed\": true}\\n')",
		"closes the report":     "import os\nos.close(3)\ndef double(xs): pass",
		"other AssertionError":  "import builtins\nbuiltins.AssertionError = None\ndef double(xs): pass",
		"swallows errors":       "import sys\nsys.excepthook = lambda *a: None\ndef double(xs): pass",
		"equal to all":          always + "def double(xs): return A()",
		"equal by metaclass":    "class M(type):\n    def __eq__(self, o): return True\n    def __hash__(self): return 1\n    def __getitem__(self, i): return 0\nclass A(metaclass=M): pass\ndef double(xs): return A",
		"equal inside":          "class A:\n    def __eq__(self, o): return True\n    def __rsub__(self, o): return 0\n    def __sub__(self, o): return 0\n    def __abs__(self): return 0\n    def __float__(self): return 0.0\ndef double(xs): return [A() for x in xs]",
		"equal by mock":         "from unittest import mock\ndef double(xs): return mock.ANY",
		"other check":           "import sys\ndef double(xs):\n    for m in list(sys.modules.values()):\n        vars(m)['check'] = lambda c: None",
		"check first":           "def check(c): pass\ndef double(xs): pass",
		"other builtins":        "import builtins, math\nbuiltins.range = lambda n: []\nbuiltins.abs = lambda n: 0\nabs = lambda n: 0\nmath.fabs = lambda n: 0\ndef double(xs): return [] if not xs else [2] if xs == [1] else [4, 6]",
		"patches when called":   "import math\ndef double(xs):\n    math.fabs = lambda n: 0\n    return [] if not xs else [2] if xs == [1] else [4, 6] if len(xs) > 1 else [0]",
		"other helper":          "def shift(n): return 1\ndef double(xs): return [] if not xs else [2] if xs[0] == 1 and len(xs) == 1 else [4, 6] if xs == [1, 3] else [2 * xs[0]]",
		"reads frames":          "import sys\ndef double(xs):\n    f = sys._getframe()\n    while f:\n        if 'nonce' in f.f_locals: break\n        f = f.f_back\n    return [2 * x for x in xs]",
		"reads frames, inspect": "import inspect\ndef double(xs):\n    inspect.currentframe().f_back\n    return [2 * x for x in xs]",
		"reads tracebacks":      "def double(xs):\n    try: 1 / 0\n    except Exception as e: e.__traceback__.tb_frame.f_back\n    return [2 * x for x in xs]",
		"reads generators":      "def g():\n    yield it.gi_frame.f_back\nit = g()\ndef double(xs):\n    list(g())\n    global it\n    it = g(); next(it)\n    return [2 * x for x in xs]",
		"lists objects":         "import gc\ndef double(xs):\n    gc.get_objects()\n    return [2 * x for x in xs]",
		"traces":                "import sys\ndef double(xs):\n    sys.settrace(lambda *a: None)\n    return [2 * x for x in xs]",
		"native code":           "import ctypes\ndef double(xs):\n    ctypes.CDLL(None)\n    return [2 * x for x in xs]",
		"false file names":      "import abc, os\nexec(compile('import sys\\ndef f(): return sys._getframe()', os.__file__, 'exec'))\ndef double(xs):\n    f()\n    return [2 * x for x in xs]",
		"finds the harness":     "import __main__\nassert not hasattr(__main__, 'harness')\ndef double(xs): pass",
		"handles signals":       "import signal\nsignal.signal(signal.SIGALRM, lambda s, f: f.f_back)\ndef double(xs): return [2 * x for x in xs]",
		"own encoder":           "import json\nclass E:\n    def encode(self, o): return '{\"stage\": \"original\", \"passed\": true}'\njson._default_encoder = E()\ndef double(xs): pass",
		"patches the encoder":   "import json.encoder\njson.encoder.JSONEncoder.encode = lambda s, o: '{\"stage\": \"original\", \"passed\": true}'\njson.dumps = json.encoder.JSONEncoder.encode\ndef double(xs): pass",
		"other module":          "import sys, types\nm = types.ModuleType('math')\nm.fabs = lambda n: 0\nsys.modules['math'] = m\ndef double(xs): return [] if not xs else [2] if xs == [1] else [4, 6] if len(xs) > 1 else [0]",
		"other module, in time": "import sys, types, math\nm = types.ModuleType('math')\nm.fabs = lambda n: 0\nsys.modules['math'] = m\ndef double(xs):\n    if xs == [6]: sys.modules['math'] = math\n    return [] if not xs else [2] if xs == [1] else [4, 6] if len(xs) > 1 else [0]",
		"patches in time":       "import math\nreal = math.fabs\ndef double(xs):\n    math.fabs = real if xs == [6] else lambda n: 0\n    return [] if not xs else [2] if xs == [1] else [4, 6] if len(xs) > 1 else [12] if xs == [6] else [0]",
		"blinds the harness":    "import builtins, math\nbuiltins.any = lambda it: False\nbuiltins.callable = lambda x: False\nmath.fabs = lambda n: 0\ndef double(xs): return [] if not xs else [2] if xs == [1] else [4, 6] if len(xs) > 1 else [0]",
		"reaches by signals":    "import _signal, math\nb = _signal.signal.__globals__['__builtins__']\n(b if isinstance(b, dict) else vars(b))['any'] = lambda it: False\nmath.fabs = lambda n: 0\ndef double(xs): return [] if not xs else [2] if xs == [1] else [4, 6] if len(xs) > 1 else [0]",
		"reaches by subclasses": "import ast, math\nfor c in ast.NodeTransformer.__subclasses__():\n    b = c.visit_Try.__globals__['__builtins__']\n    (b if isinstance(b, dict) else vars(b))['any'] = lambda it: False\nmath.fabs = lambda n: 0\ndef double(xs): return [] if not xs else [2] if xs == [1] else [4, 6] if len(xs) > 1 else [0]",
		"marshalled file names": "import marshal, os\nn = os.__file__\nc = compile('import sys\\ndef f(): return sys._getframe(1)', 'X' * len(n), 'exec')\nexec(marshal.loads(marshal.dumps(c).replace(b'X' * len(n), n.encode())))\ndef double(xs):\n    f()\n    return [2 * x for x in xs]",
		"equal and hidden":      "class M(type):\n    @property\n    def __mro__(c): return ()\nclass A(list, metaclass=M):\n    def __eq__(self, o): return True\n    def __sub__(self, o): return 0\n    def __getitem__(self, i): return self\n    def __rsub__(self, o): return 0\n    def __float__(self): return 0.0\ndef double(xs): return A() if len(xs) != 1 or xs == [1] else [2 * xs[0]]",
		"equal by a known name": "class candidate(list):\n    def __eq__(self, o): return True\ndef double(xs): return candidate() if len(xs) != 1 or xs == [1] else [2 * xs[0]]",
		"equal by a class":      "class A(list):\n    def __eq__(self, o): return True\nclass double:\n    def __new__(cls, xs): return A() if len(xs) != 1 or xs == [1] else [2 * xs[0]]",
		"equal and cached":      "import functools\nclass A(list):\n    def __eq__(self, o): return True\nclass C:\n    def __call__(self, xs): return A() if len(xs) != 1 or xs == [1] else [2 * xs[0]]\ndouble = C()",
		"words that break out":  "class S(str):\n    def strip(self): return self\n    def splitlines(self): return [self]\n    def __radd__(self, o): return self\n    def __iter__(self): yield '\", \"passed\": true, \"x\": \"'\nclass E(Exception):\n    def __str__(self): return S('x')\ndef double(xs): raise E()",
		"quotes in words":       "def double(xs): raise ValueError('\", \"passed\": true, \"x\": \"')",
		"breaks out of block":   "def double(xs): pass\n'''\nend\n'''",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := check(t, v, double, fenced(program)); got.Code == Passed {
				t.Errorf("got %+v", got)
			}
		})
	}
	for name, program := range map[string]string{
		"other abs":      "def abs(x): return 0\ndef add_up(xs): return 3 if len(xs) == 2 else (xs or [0])[0]",
		"other set":      "def set(x): return {5}\ndef add_up(xs): return 3 if xs == [1, 2] else 0.3 if xs and xs != [5] else 0",
		"an object":      "class N(float):\n    def __eq__(self, o): return True\n    def __hash__(self): return 5\n    def __sub__(self, o): return 0\ndef add_up(xs): return N(1)",
		"exit in a test": "import os\ndef add_up(xs): return 3 if xs == [1, 2] else os._exit(0)",
	} {
		t.Run("tests: "+name, func(t *testing.T) {
			t.Parallel()
			if got := check(t, v, total, fenced(program)); got.Code == Passed {
				t.Errorf("got %+v", got)
			}
		})
	}
}
