package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/runfile"
)

// recordedRun is a recorded run of the explain tests, as a run folder that a test may write into.
func recordedRun(t *testing.T, name string) string {
	t.Helper()
	r, err := runfile.Open(filepath.Join("..", "..", "internal", "explain", "testdata", "runs", "made", name+runfile.Extension))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), name)
	if err := r.Unpack(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A run's card in every form, and one that was pasted beside the run again.
func TestShow(t *testing.T) {
	run := recordedRun(t, "healthy")
	forms := map[string]string{}
	for as, want := range map[string]string{"text": "linerate ", "markdown": "<details>", "bbcode": "[code]", "csv": "card,version", "json": `"linerate/card/1"`} {
		a := call(t, nil, "show", run, "--as", as)
		if a.code != exitDone || a.err != "" || !strings.Contains(a.out, want) {
			t.Fatalf("--as %s: %s", as, a)
		}
		noEscape(t, a)
		forms[as] = a.out
	}
	if a := call(t, nil, "show", run, "--json"); a.code != exitDone || a.out != forms["json"] {
		t.Errorf("--json is not --as json: %s", a)
	}
	if o := call(t, nil, "show", run, "--json").object(t, "linerate/card/1"); len(list(t, o, "cards")) != 1 {
		t.Errorf("%v", o)
	}
	for _, as := range []string{"text", "markdown", "bbcode", "json"} {
		file := filepath.Join(t.TempDir(), "post.txt")
		text := forms[as]
		if as == "text" {
			text = "> " + strings.ReplaceAll(text, "\n", "\r\n> ")
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		a := call(t, nil, "compare", file, run)
		if a.code != exitDone || a.err != "" || !strings.Contains(a.out, "TCP 1 stream A -> B") || !strings.Contains(a.out, "1.000") && !strings.Contains(a.out, "0.999") && !strings.Contains(a.out, "1.00") ||
			!strings.Contains(a.out, "no interval") || strings.Contains(a.out, "differs") {
			t.Errorf("%s beside its run: %s", as, a)
		}
		if a := call(t, nil, "show", file); a.out != forms["text"] {
			t.Errorf("%s as text: %s", as, a)
		}
	}
	// From standard input, and as JSON.
	var out, errs bytes.Buffer
	e := &env{in: strings.NewReader(forms["text"]), out: &out, err: &errs, getenv: func(string) string { return "" }}
	code := e.main(t.Context(), []string{"compare", "-", run, "--json"})
	a := answer{code, out.String(), errs.String()}
	if o := a.object(t, "linerate/compare/1"); code != exitDone || len(list(t, o, "comparisons")) == 0 {
		t.Errorf("%s", a)
	}
}

// What is wrong is said, with what can still be shown.
func TestShowBadInput(t *testing.T) {
	run := recordedRun(t, "healthy")
	text := call(t, nil, "show", run).out
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	cut := file("cut.txt", text[:strings.Index(text, "[Round")])
	newer := file("newer.txt", strings.Replace(text, "card 1", "card 2", 1))
	none := file("none.txt", "no card\n")
	for _, c := range []struct {
		args []string
		code int
		says string
		out  bool
	}{
		{[]string{"show", run, "--as", "yaml", "--all", "--pair", "a,b"}, exitInput, "2 mistakes", false},
		{[]string{"show", run, "--json", "--as", "csv"}, exitInput, "give one of them", false},
		{[]string{"show", run, "--pair", "host1,host9"}, exitInput, "it has host", false},
		{[]string{"show", none}, exitInput, "there is no card in it", false},
		{[]string{"show", "nowhere"}, exitInput, "is no run", false},
		{[]string{"show", filepath.Join(run, "manifest.json")}, exitDone, "", true},
		{[]string{"show", cut}, exitIncomplete, "the card lacks Ping, idle", true},
		{[]string{"compare", run, cut}, exitIncomplete, "cut.txt: line", true},
		{[]string{"compare", newer, run}, exitIncomplete, "form 2, and this version reads form 1", true},
		{[]string{"compare", none, "nowhere"}, exitInput, "2 mistakes", false},
		{[]string{"compare", cut}, exitInput, "nothing", false},
		{[]string{"compare", "-", "-"}, exitInput, "once", false},
		{[]string{"compare", cut, run, "--by", "streams"}, exitInput, "--by streams", false},
		{[]string{"compare", run, run, "--pair", "a,b"}, exitInput, "--pair a,b", false},
	} {
		a := call(t, nil, c.args...)
		if a.code != c.code || !strings.Contains(a.err, c.says) || (a.out != "") != c.out {
			t.Errorf("%q: want exit code %d and %q: %s", c.args, c.code, c.says, a)
		}
	}
}
