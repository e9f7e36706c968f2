package collect

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// A renewed snapshot has the sources of a full one, with current counters.
func TestRenew(t *testing.T) {
	testenv.Need(t, testenv.Live)
	names := func(a *snapshot.Archive) (out []string) {
		for _, f := range a.Files {
			out = append(out, f.Name)
		}
		slices.Sort(out)
		return out
	}
	full, err := Collect(t.Context(), facts.Full, "")
	if err != nil {
		t.Fatal(err)
	}
	later, err := Collect(t.Context(), facts.Statistics, "")
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := snapshot.Renew(full, later)
	if err != nil {
		t.Fatal(err)
	}
	was, now, is := snapshot.ParseArchive(full), snapshot.ParseArchive(later), snapshot.ParseArchive(renewed)
	if len(now.Files) >= len(was.Files) {
		t.Errorf("statistics are %d sources, everything %d", len(now.Files), len(was.Files))
	}
	reported := func(a *snapshot.Archive) bool { // read, or with the reason why not
		return slices.Contains(names(a), "nft list ruleset") || strings.Contains(string(a.Bytes()), "nft list ruleset")
	}
	if reported(was) && !reported(now) {
		t.Error("the counters of the firewall's rules are not read again")
	}
	if !slices.Equal(names(is), names(was)) {
		t.Errorf("renewed: %v\nfull: %v", names(is), names(was))
	}
	for _, f := range now.Files {
		i := slices.IndexFunc(is.Files, func(g snapshot.File) bool { return g.Name == f.Name })
		if i < 0 || !bytes.Equal(is.Files[i].Data, f.Data) {
			t.Errorf("%s is not as in the later snapshot", f.Name)
		}
	}
	a, err := read.Parse(full)
	if err != nil {
		t.Fatal(err)
	}
	b, err := read.Parse(renewed)
	if err != nil {
		t.Fatal(err)
	}
	if b.Level != facts.Full || !b.When.After(a.When) || len(b.Unknown) != len(a.Unknown) || b.CPU.Model != a.CPU.Model {
		t.Errorf("renewed: level %s, %v after %v, %d and %d unknown, %v and %v", b.Level, b.When, a.When, len(b.Unknown),
			len(a.Unknown), b.CPU.Model, a.CPU.Model)
	}
	if again, err := snapshot.Renew(renewed, full); err != nil || !bytes.Equal(again, full) {
		t.Errorf("a full snapshot is taken as it is: %v", err)
	}
	for _, bad := range [][]byte{bytes.Replace(later, []byte("\nhost "), []byte("\nhost x"), 1), later[:10]} {
		if _, err := snapshot.Renew(full, bad); err == nil {
			t.Errorf("%.80q renews a snapshot", bad)
		}
	}
	if _, err := snapshot.Renew(later, later); err == nil {
		t.Error("statistics renew statistics")
	}
}
