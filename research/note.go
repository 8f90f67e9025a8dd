package research

// Note is a sentence for people together with what translates it. Text is plain
// English and always there; Code is a stable word and Args are the values in the
// sentence, by which pages say it in the reader's language (catalogue key
// "note.<Code>"). A note without a code is shown as it is.
//
// Args hold strings and numbers only, so that they survive JSON.
type Note struct {
	Text string         `json:"text"`
	Code string         `json:"code,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// NoteText joins the sentences of notes.
func NoteText(notes []Note) string {
	text := ""
	for _, n := range notes {
		if text != "" && n.Text != "" {
			text += " "
		}
		text += n.Text
	}
	return text
}

// InterruptedNote is what a step says that a crash cut off.
func InterruptedNote() Note {
	return Note{Code: "interrupted", Text: "The process stopped during this step; its reserved worst case is charged."}
}

// Noticed tells whether a list already says a thing, in whatever detail.
func Noticed(list []Note, n Note) bool {
	for _, x := range list {
		if x.Text == n.Text {
			return true
		}
	}
	return false
}

func texts(notes []Note) []string {
	out := make([]string, len(notes))
	for i, n := range notes {
		out[i] = n.Text
	}
	return out
}

// NoteNoSearchWord is the code of the note on a search whose question has no
// word that an index knows of.
const NoteNoSearchWord = "no_search_word"
