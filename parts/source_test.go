package parts

import "testing"

func TestSourceOf(t *testing.T) {
	catalog, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range catalog.Sources {
		if got, ok := SourceOf(id); !ok || got != want {
			t.Errorf("%s: %v, %v, want %v", id, got, ok, want)
		}
	}
	if got, ok := SourceOf("nobody"); ok {
		t.Errorf("a source that is not there: %v", got)
	}
}
