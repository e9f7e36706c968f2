package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// A run is held against a document's figures: what is the same thing has a ratio and its conditions, what is unlike a reason.
func TestCompareBaseline(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	if a := p.linerate(t, "measure", "stream", "--from", "local", "--to", "local", "--to-address", "127.0.0.1", "--streams", "4", "--direction", "out", "--time", "200ms", "--repeats", "2", "-o", "mine"); a.code != exitDone {
		t.Fatalf("%s", a)
	}
	a := p.linerate(t, "compare", "mine", "baseline:nas-40g")
	said := unwrapped(a.out)
	if a.code != exitDone {
		t.Fatalf("%s", a)
	}
	for _, want := range []string{"TCP, 4 streams, MTU 9000", "; the document has 24.5 Gb/s", "times the document's", "link 40.0 Gb/s to", "no experiment of the method copy", "Intel Core i7-7980XE"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing:\n%s", want, a.out)
		}
	}
	a = p.linerate(t, "compare", "baseline:nas-40g", "mine", "baseline:eval-25g", "--json")
	o := a.object(t, "linerate/compare/1")
	if len(o["documents"].([]any)) != 2 || len(o["comparisons"].([]any)) < 4 || len(o["refused"].([]any)) < 20 {
		t.Errorf("%s", a)
	}
	c := o["comparisons"].([]any)[0].(map[string]any)
	if c["different"] != nil || c["base"].(map[string]any)["median"].(float64) != 12e9 || c["published"].(map[string]any)["text"] == "" {
		t.Errorf("%v", c)
	}
	for _, bad := range []struct {
		args []string
		says string
	}{
		{[]string{"mine", "baseline:nas-40"}, "baseline:nas-40g"}, {[]string{"baseline:nas-40g"}, "0 are named"}, {[]string{"mine", "mine", "baseline:nas-40g"}, "2 are named"},
		{[]string{"mine", "baseline:nas-40g", "--by", "streams"}, "--by streams"}, {[]string{"mine", "baseline:"}, "no baseline"}, {[]string{"--baselines", "mine"}, "takes no words"}, {nil, "no run is named"},
	} {
		if a := p.linerate(t, append([]string{"compare"}, bad.args...)...); a.code != exitInput || !strings.Contains(a.err, bad.says) {
			t.Errorf("%q: want exit code 2 and %q: %s", bad.args, bad.says, a)
		}
	}
	if a := p.linerate(t, "compare", "--baselines"); a.code != exitDone || strings.Count(a.out, "baseline:") != 5 {
		t.Errorf("%s", a)
	}
	// The page: written, written again, and never over what is not linerate's.
	for range 2 {
		if a := p.linerate(t, "compare", "mine", "mine", "-o", "page.html"); a.code != exitDone || !strings.Contains(a.out, "page.html") {
			t.Fatalf("%s", a)
		}
	}
	page, err := os.ReadFile(filepath.Join(p.dir, "page.html"))
	if err != nil || !strings.Contains(string(page), "<svg") || !strings.Contains(string(page), "</html>") {
		t.Errorf("%v, %d bytes", err, len(page))
	}
	if err := os.WriteFile(filepath.Join(p.dir, "own.html"), []byte("<p>mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]int{"own.html": exitRefused, "mine": exitInput, "nowhere/page.html": exitInput} {
		if a := p.linerate(t, "compare", "mine", "baseline:nas-40g", "-o", name); a.code != code || !strings.Contains(a.err, name) || a.out != "" {
			t.Errorf("%s: want exit code %d: %s", name, code, a)
		}
	}
	if a := p.linerate(t, "__complete", "compare", "mine", "baseline:m"); !strings.Contains(a.out, "baseline:mesh-10g") || strings.Contains(a.out, "nas-40g") {
		t.Errorf("%s", a)
	}
}
