package research

import (
	"reflect"
	"testing"
)

func TestModelsUsed(t *testing.T) {
	t.Parallel()
	l := &Ledger{Steps: []Step{
		{Role: Planner, Model: "a"}, {Role: Reader, Model: "b"}, {Role: Reader, Model: "b"}, {Role: Writer}, {Role: Writer, Model: "a"},
	}}
	want := []ModelUse{{"a", []Role{Planner, Writer}}, {"b", []Role{Reader}}}
	if got := l.ModelsUsed(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	if got := (&Ledger{}).ModelsUsed(); got != nil {
		t.Errorf("nobody worked: %v", got)
	}
}
