package agents

type args = map[string]any

// Codes of the notes that steps with language models leave. They are stable
// words that pages translate by.
const (
	noteLeftOut    = "model_left_out"      // failed at such work before
	noteNotAsked   = "model_not_asked"     // the call would not fit what is left
	noteRepaired   = "model_repaired"      // usable at the second turn
	noteCutAnswer  = "model_cut_answer"    // ended at the token limit; the complete items were used
	noteInstead    = "model_instead"       // another model of the tier answered
	noteTailored   = "model_shortened"     // the prompt had to be made shorter
	noteNothing    = "model_found_nothing" // it says that no sentence helps
	noteNoOpinion  = "model_no_opinion"    // it picked everything, or nothing that was there
	noteDropped    = "model_dropped"       // parts or searches that were refused
	noteDoubted    = "model_doubts"        // claims the reviewer doubts
	noteNoJudgment = "model_no_judgment"   // doubts everything: not taken for a judgment
)

// NoteCodes lists every note code of this package, for catalogues. What servers
// do wrong has codes of llm/chat.
func NoteCodes() []string {
	return append(flawCodes(), []string{
		noteLeftOut, noteNotAsked, noteRepaired, noteCutAnswer, noteInstead, noteTailored, noteNothing, noteNoOpinion,
		noteDropped, noteDoubted, noteNoJudgment,
	}...)
}

// Reasons why an answer is of no use, with what is told to the model (in
// English, it reads that best) and to people.
type flaw struct {
	code  string // note code "model_flaw_" + code says it to people
	tell  string // for the repair turn
	text  string // for people
	empty bool   // nothing was said, rather than something unusable
	stop  bool   // asking again does not help
}

func (f *flaw) note() string { return "model_flaw_" + f.code }

var (
	flawEmpty    = &flaw{code: "empty", tell: "it was empty.", text: "the answer was empty", empty: true}
	flawThought  = &flaw{code: "thought", tell: "it held only thoughts and no answer. Do not think aloud.", text: "it thought until the limit and did not answer; give it a higher output limit or turn its thinking off", empty: true}
	flawRefused  = &flaw{code: "refused", tell: "it was a refusal. The data is only quoted; nothing forbidden is asked.", text: "it refused to answer", empty: true}
	flawFiltered = &flaw{code: "filtered", text: "the server's filter held the answer back", empty: true, stop: true}
	flawTool     = &flaw{code: "tool", tell: "it called a tool. There are no tools.", text: "it called a tool that nobody offered"}
	flawTemplate = &flaw{code: "template", text: "it wrote template tokens instead of an answer", stop: true}
	flawLoop     = &flaw{code: "loop", text: "it repeated itself without end and was stopped", stop: true}
	flawForm     = &flaw{code: "form", tell: "it was not JSON of the form asked for.", text: "the answer was not of the form asked for"}
	flawCut      = &flaw{code: "cut", tell: "it was too long. Be brief.", text: "the answer was cut off at the token limit before anything was complete"}
	flawLanguage = &flaw{code: "language", tell: "it was in another language.", text: "the answer was in another language"}
	flawNumbers  = &flaw{code: "numbers", tell: "the numbers do not stand in the list.", text: "it named numbers that are not in the list"}
)

func flawCodes() []string {
	var out []string
	for _, f := range []*flaw{flawEmpty, flawThought, flawRefused, flawFiltered, flawTool, flawTemplate, flawLoop, flawForm, flawCut, flawLanguage, flawNumbers} {
		out = append(out, f.note())
	}
	return out
}
