package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record/runfolder"
	"linerate/internal/runfile"
	"linerate/internal/testenv"
)

// recordedRun is a recorded run of the explain tests, as a writable run folder.
func recordedRun(t *testing.T, name string) string {
	t.Helper()
	r := testenv.Must(runfile.Open(filepath.Join("..", "..", "internal", "explain", "testdata", "runs", "made",
		name+runfile.Extension)))(t)
	dir := filepath.Join(t.TempDir(), name)
	testenv.Check(t, r.Unpack(dir))
	return dir
}

// A run's summary in every form, and a pasted one compared with the run.
func TestShare(t *testing.T) {
	run := recordedRun(t, "healthy")
	forms := map[string]string{}
	for as, want := range map[string]string{"text": "linerate ", "markdown": "<details>", "bbcode": "[code]",
		"csv": "summary,version", "json": `"linerate/summary/2"`} {
		a := call(t, nil, "share", run, "--format", as)
		if a.code != cli.ExitDone || a.err != "" || !strings.Contains(a.out, want) {
			t.Fatalf("--format %s: %s", as, a)
		}
		noEscape(t, a)
		forms[as] = a.out
	}
	if o := call(t, nil, "share", run, "--format", "json").object(t, "linerate/summary/2"); len(list(t, o,
		"summaries")) != 1 {
		t.Errorf("%v", o)
	}
	for _, as := range []string{"text", "markdown", "bbcode", "json"} {
		file := filepath.Join(t.TempDir(), "post.txt")
		text := forms[as]
		if as == "text" {
			text = "> " + strings.ReplaceAll(text, "\n", "\r\n> ")
		}
		testenv.WriteFile(t, file, []byte(text), 0o644)
		a := call(t, nil, "compare", file, run)
		if a.code != cli.ExitDone || a.err != "" || !strings.Contains(a.out, "TCP 1 stream A -> B") ||
			!strings.Contains(a.out, "1.000") && !strings.Contains(a.out, "0.999") && !strings.Contains(a.out, "1.00") ||
			!strings.Contains(a.out, "no interval") || strings.Contains(a.out, "differs") {
			t.Errorf("%s next to its run: %s", as, a)
		}
		if a := call(t, nil, "share", file); a.out != forms["text"] {
			t.Errorf("%s as text: %s", as, a)
		}
	}
	// From standard input, and as JSON.
	var out, errs bytes.Buffer
	e := &cli.Env{In: strings.NewReader(forms["text"]), Out: &out, Err: &errs, Getenv: func(string) string { return "" }}
	code := e.Execute(t.Context(), commandTree(e), []string{"compare", "-", run, "--json"})
	a := answer{code, out.String(), errs.String()}
	if o := a.object(t, "linerate/compare/1"); code != cli.ExitDone || len(list(t, o, "comparisons")) == 0 {
		t.Errorf("%s", a)
	}
}

// Errors are reported, together with what can still be shown.
func TestShareBadInput(t *testing.T) {
	run := recordedRun(t, "healthy")
	text := call(t, nil, "share", run).out
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		testenv.WriteFile(t, name, []byte(text), 0o644)
		return name
	}
	cut := file("cut.txt", text[:len(text)-20])
	changed := file("changed.txt", strings.Replace(text, "; tcp-1-ab, ", "; tcp-1-ab, 1", 1))
	unread := file("unread.txt", text[:strings.Index(text, "linerate-data")])
	newer := file("newer.txt", strings.Replace(call(t, nil, "share", run, "--format", "json").out, "summary/2",
		"summary/3", 1))
	old := file("old.txt", "linerate 0.1.0  card 1  2026-11-21  run kxzp\n")
	none := file("none.txt", "no summary\n")
	for _, c := range []struct {
		args []string
		code int
		says string
		out  bool
	}{
		{[]string{"share", run, "--format", "yaml", "--all", "--pair", "a,b"}, cli.ExitInput, "--all and --pair", false},
		{[]string{"share", run, "--json"}, cli.ExitInput, "linerate share has no flag --json", false},
		{[]string{"share", run, "--pair", "host1,host9"}, cli.ExitInput, "it has host", false},
		{[]string{"share", none}, cli.ExitInput, "there is no summary in it", false},
		{[]string{"compare", run, old}, cli.ExitInput, "old.txt: the summary has an old form, which", false},
		{[]string{"share", "nowhere"}, cli.ExitInput, "no run is called", false},
		{[]string{"share", filepath.Join(run, "manifest.json")}, cli.ExitDone, "", true},
		{[]string{"share", cut}, cli.ExitInput, "the line of data is cut off", false},
		{[]string{"compare", run, changed}, cli.ExitInput, "changed.txt: line", false},
		{[]string{"compare", run, unread}, cli.ExitInput, "copy the summary with its last line", false},
		{[]string{"compare", newer, run}, cli.ExitIncomplete, "and this version reads linerate/summary/2", true},
		{[]string{"compare", none, "nowhere"}, cli.ExitInput, `no run is called "nowhere"`, false},
		{[]string{"compare", cut}, cli.ExitInput, "nothing", false},
		{[]string{"compare", "-", "-"}, cli.ExitInput, "once", false},
		{[]string{"compare", cut, run, "--by", "streams"}, cli.ExitInput, "--by streams", false},
		{[]string{"compare", run, run, "--pair", "a,b"}, cli.ExitInput, "--pair a,b", false},
	} {
		a := call(t, nil, c.args...)
		if a.code != c.code || !strings.Contains(a.err, c.says) || (a.out != "") != c.out {
			t.Errorf("%q: want exit code %d and %q: %s", c.args, c.code, c.says, a)
		}
	}
}

// sentPage is the page of a recorded run, alone in a folder, as a recipient has it.
func sentPage(t *testing.T, name, file string) string {
	t.Helper()
	dir := recordedRun(t, name)
	if a := call(t, nil, "report", dir); a.code != cli.ExitDone || a.err != "" {
		t.Fatalf("%s", a)
	}
	to := filepath.Join(t.TempDir(), file)
	testenv.Check(t, os.Rename(filepath.Join(dir, runfolder.ReportName), to))
	return to
}

// Every command that takes a run also takes its page, with the same result as for the folder.
func TestPageInPlaceOfRun(t *testing.T) {
	run := recordedRun(t, "healthy")
	page := sentPage(t, "healthy", "a.html")
	other := sentPage(t, "cpu-copy", "b.html")
	// The commands that follow name what was given, and the last line is the page itself.
	reference := func(text, run string) string {
		text, _, _ = strings.Cut(strings.ReplaceAll(text, run, "RUN"), "full report ")
		return text
	}
	for _, words := range [][]string{{"share"}, {"share", "--format", "json"}, {"compare", run}, {"compare", run,
		"--json"},
		{"compare", recordedRun(t, "cpu-copy")}, {"report"}, {"explain", "host1 -> host2"}} {
		folder := call(t, nil, append([]string{words[0], run}, words[1:]...)...)
		sent := call(t, nil, append([]string{words[0], page}, words[1:]...)...)
		have, want := reference(sent.out, page), reference(folder.out, run)
		if sent.code != cli.ExitDone || have != want {
			t.Errorf("%q: of the folder\n%s\nof its page\n%s", words, folder, sent)
		}
		if words[0] == "explain" != strings.Contains(sent.err,
			"a.html has no snapshots: its verdicts are those that linerate ") || words[0] != "explain" && sent.err != "" {
			t.Errorf("%q: %s", words, sent.err)
		}
	}
	folders := call(t, nil, "compare", run, recordedRun(t, "cpu-copy"))
	if a := call(t, nil, "compare", page, other); a.code != cli.ExitDone || a.out != folders.out || a.err != "" {
		t.Errorf("two pages: %s\ntheir folders: %s", a, folders)
	}
	if a := call(t, nil, "whatif", page, "--mtu", "9000"); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "MTU 9000") || !strings.Contains(a.err, "has no snapshots") {
		t.Errorf("%s", a)
	}
	nic := filepath.Join(t.TempDir(), "summary.txt")
	testenv.WriteFile(t, nic, []byte(call(t, nil, "share", run).out), 0o644)
	if a := call(t, nil, "compare", nic, page); a.code != cli.ExitDone || !strings.Contains(a.out, "TCP 1 stream A -> B") {
		t.Errorf("a summary and a page: %s", a)
	}
	if entries, err := os.ReadDir(filepath.Dir(page)); err != nil || len(entries) != 1 {
		t.Errorf("something was written next to a page: %v %v", entries, err)
	}
}

// An invalid page or folder is reported in one line, together with what can still be shown.
func TestPageBadInput(t *testing.T) {
	whole := sentPage(t, "healthy", "whole.html")
	b := testenv.Must(os.ReadFile(whole))(t)
	dir := t.TempDir()
	file := func(name string, text string) string {
		name = filepath.Join(dir, name)
		testenv.WriteFile(t, name, []byte(text), 0o644)
		return name
	}
	text := string(b)
	data := strings.Index(text, `<script type="application/gzip"`)
	cut := file("cut.html", text[:data-5])
	half := file("half.html", text[:data+(len(text)-data)/3])
	edited := file("edited.html", strings.Replace(text, "<h1>", "<h1>faster ", 1))
	otherProcesses := file("foreign.html", "<!DOCTYPE html><html><body><p>no page of linerate</p></body></html>")
	call(t, nil, "plan", example("mesh-10g"), "-o", filepath.Join(dir, "plan")).ends(t, cli.ExitDone)
	for _, c := range []struct {
		args []string
		code int
		says string
		out  bool
	}{
		{[]string{"compare", whole, cut}, cli.ExitInput,
			"cut.html is cut off before the run's data, which are at its end\nhelp: get the file again\n" +
				"note: a browser shows what there is of it", false},
		{[]string{"report", half}, cli.ExitInput,
			"half.html has data that cannot be read (unexpected EOF)\n", false},
		{[]string{"compare", whole, edited}, cli.ExitDone, "edited.html was changed since it was written", true},
		{[]string{"share", otherProcesses}, cli.ExitInput, "there is no summary in it", false},
		{[]string{"report", otherProcesses}, cli.ExitInput,
			"foreign.html is not a page that linerate wrote\nhelp: give the report.html of a run, its folder, or a file with " +
				"a summary", false},
		{[]string{"whatif", otherProcesses, "--mtu", "9000"}, cli.ExitInput, "is not a page that linerate wrote", false},
		{[]string{"share", filepath.Join(dir, "plan", "plan.html")}, cli.ExitInput, "carries no run (as plans, labels",
			false},
		{[]string{"explain", whole, "--before", dir, "--after", dir}, cli.ExitInput, "give the run's folder", false},
		{[]string{"compare", whole, sentPage(t, "wrong-nic", "other.html")}, cli.ExitDone, "", true},
	} {
		a := call(t, nil, c.args...)
		if a.code != c.code || !strings.Contains(a.err, c.says) || (a.out != "") != c.out || strings.Count(a.err, "\n") > 3 {
			t.Errorf("%q: want exit code %d and %q: %s", c.args, c.code, c.says, a)
		}
	}
}

// A picture goes to standard output or into a new file, whose ending is its form; two runs make one picture.
func TestSharePicture(t *testing.T) {
	run := recordedRun(t, "healthy")
	dir := t.TempDir()
	if a := call(t, nil, "share", run, "--format", "svg"); a.code != cli.ExitDone || !strings.HasPrefix(a.out, "<svg ") {
		t.Errorf("%s", a)
	}
	for name, want := range map[string]string{"a.png": "\x89PNG", "a.svg": "<svg "} {
		file := filepath.Join(dir, name)
		a := call(t, nil, "share", run, run, "--dark", "-o", file)
		if b, err := os.ReadFile(file); a.code != cli.ExitDone || a.out != "" || err != nil ||
			!strings.HasPrefix(string(b), want) {
			t.Errorf("%s: %v %s", name, err, a)
		}
		if a := call(t, nil, "share", run, "-o", file); a.code == cli.ExitDone {
			t.Errorf("%s is written over", name)
		}
	}
	for want, args := range map[string][]string{"two runs are shown as a picture": {run, run},
		"-o and --dark are for pictures": {run, "--dark"}, "--all: a picture shows": {run, "--format", "svg", "--all"}} {
		a := call(t, nil, append([]string{"share"}, args...)...)
		if a.code != cli.ExitInput || !strings.Contains(a.err, want) {
			t.Errorf("%s: %s", want, a)
		}
	}
}
