package facts

import (
	"bytes"
	"slices"
	"testing"

	"linerate/internal/testenv"
)

// A renewed capture has the sources of a full one, with what counts as it is now.
func TestRenew(t *testing.T) {
	testenv.Need(t, testenv.Live)
	names := func(a *archive) (out []string) {
		for _, f := range a.Files {
			out = append(out, f.Name)
		}
		slices.Sort(out)
		return out
	}
	full, err := Collect(t.Context(), Full)
	if err != nil {
		t.Fatal(err)
	}
	later, err := Collect(t.Context(), Statistics)
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := Renew(full, later)
	if err != nil {
		t.Fatal(err)
	}
	was, now, is := parseArchive(full), parseArchive(later), parseArchive(renewed)
	if len(now.Files) >= len(was.Files) {
		t.Errorf("statistics are %d sources, everything %d", len(now.Files), len(was.Files))
	}
	if !slices.Equal(names(is), names(was)) {
		t.Errorf("renewed: %v\nfull: %v", names(is), names(was))
	}
	for _, f := range now.Files {
		i := slices.IndexFunc(is.Files, func(g file) bool { return g.Name == f.Name })
		if i < 0 || !bytes.Equal(is.Files[i].Data, f.Data) {
			t.Errorf("%s is not as the later capture says it", f.Name)
		}
	}
	a, err := Parse(full)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Parse(renewed)
	if err != nil {
		t.Fatal(err)
	}
	if b.Level != Full || !b.When.After(a.When) || len(b.Unknown) != len(a.Unknown) || b.CPU.Model != a.CPU.Model {
		t.Errorf("renewed: level %s, %v after %v, %d and %d unknown, %v and %v", b.Level, b.When, a.When, len(b.Unknown), len(a.Unknown), b.CPU.Model, a.CPU.Model)
	}
	if again, err := Renew(renewed, full); err != nil || !bytes.Equal(again, full) {
		t.Errorf("a full capture is taken as it is: %v", err)
	}
	for _, bad := range [][]byte{bytes.Replace(later, []byte("\nhost "), []byte("\nhost x"), 1), later[:10]} {
		if _, err := Renew(full, bad); err == nil {
			t.Errorf("%.80q renews a capture", bad)
		}
	}
	if _, err := Renew(later, later); err == nil {
		t.Error("statistics renew statistics")
	}
}
