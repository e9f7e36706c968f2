package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/record/runfolder"
)

// sentPage is the page of a recorded run, alone in a folder of its own, as somebody sends it.
func sentPage(t *testing.T, name, file string) string {
	t.Helper()
	dir := recordedRun(t, name)
	if a := call(t, nil, "report", dir); a.code != exitDone || a.err != "" {
		t.Fatalf("%s", a)
	}
	to := filepath.Join(t.TempDir(), file)
	if err := os.Rename(filepath.Join(dir, runfolder.ReportName), to); err != nil {
		t.Fatal(err)
	}
	return to
}

// Wherever a command takes a run it takes the page that somebody sent, and says the same as of the folder.
func TestPageInPlaceOfRun(t *testing.T) {
	run := recordedRun(t, "healthy")
	page := sentPage(t, "healthy", "a.html")
	other := sentPage(t, "cpu-copy", "b.html")
	fromPage := func(text string) string { return strings.ReplaceAll(text, page, "RUN") }
	for _, words := range [][]string{{"show"}, {"show", "--json"}, {"compare", run}, {"compare", run, "--json"}, {"compare", recordedRun(t, "cpu-copy")}, {"report"}, {"explain"}} {
		folder := call(t, nil, append([]string{words[0], run}, words[1:]...)...)
		sent := call(t, nil, append([]string{words[0], page}, words[1:]...)...)
		have, _, _ := strings.Cut(fromPage(sent.out), "\nreport  ") // it is another file
		want, _, _ := strings.Cut(folder.out, "\nreport  ")
		if sent.code != exitDone || have != want {
			t.Errorf("%q: of the folder\n%s\nof its page\n%s", words, folder, sent)
		}
		if words[0] == "explain" != strings.Contains(sent.err, "a.html has no captures: its verdicts are those that linerate ") || words[0] != "explain" && sent.err != "" {
			t.Errorf("%q: %s", words, sent.err)
		}
	}
	folders := call(t, nil, "compare", run, recordedRun(t, "cpu-copy"))
	if a := call(t, nil, "compare", page, other); a.code != exitDone || a.out != folders.out || a.err != "" {
		t.Errorf("two pages: %s\ntheir folders: %s", a, folders)
	}
	if a := call(t, nil, "whatif", page, "--mtu", "9000"); a.code != exitDone || !strings.Contains(a.out, "MTU 9000") || !strings.Contains(a.err, "has no captures") {
		t.Errorf("%s", a)
	}
	card := filepath.Join(t.TempDir(), "card.txt")
	if err := os.WriteFile(card, []byte(call(t, nil, "show", run).out), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := call(t, nil, "compare", card, page); a.code != exitDone || !strings.Contains(a.out, "TCP 1 stream A -> B") {
		t.Errorf("a card and a page: %s", a)
	}
	if entries, err := os.ReadDir(filepath.Dir(page)); err != nil || len(entries) != 1 {
		t.Errorf("something was written beside a page: %v %v", entries, err)
	}
}

// What is wrong with a page or a folder is one line, with what can still be shown.
func TestPageBadInput(t *testing.T) {
	whole := sentPage(t, "healthy", "whole.html")
	b, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	text := string(b)
	data := strings.Index(text, `<script type="application/gzip"`)
	cut := file("cut.html", text[:data-5])
	half := file("half.html", text[:data+(len(text)-data)/3])
	edited := file("edited.html", strings.Replace(text, "<h1>", "<h1>faster ", 1))
	foreign := file("foreign.html", "<!DOCTYPE html><html><body><p>no page of linerate</p></body></html>")
	plan := call(t, nil, "plan", example("mesh-10g"), "-o", filepath.Join(dir, "plan"))
	if plan.code != exitDone {
		t.Fatalf("%s", plan)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
		out  bool
	}{
		{[]string{"compare", whole, cut}, exitInput, "cut.html is cut off before the run's data, which stand at its end; a browser shows what there is of it; get the file again", false},
		{[]string{"report", half}, exitInput, "half.html has data that cannot be read (unexpected EOF); a browser shows what there is of it", false},
		{[]string{"compare", whole, edited}, exitDone, "edited.html was changed since it was written", true},
		{[]string{"show", foreign}, exitInput, "there is no card in it", false},
		{[]string{"report", foreign}, exitInput, "foreign.html is no page that linerate wrote; give the report.html of a run, its folder, or a file with a card", false},
		{[]string{"whatif", foreign, "--mtu", "9000"}, exitInput, "is no page that linerate wrote", false},
		{[]string{"show", filepath.Join(dir, "plan", "plan.html")}, exitInput, "carries no run (as plans, labels", false},
		{[]string{"explain", whole, "--before", dir, "--after", dir}, exitInput, "give the run's folder", false},
		{[]string{"compare", whole, sentPage(t, "wrong-nic", "other.html")}, exitDone, "", true},
	} {
		a := call(t, nil, c.args...)
		if a.code != c.code || !strings.Contains(a.err, c.says) || (a.out != "") != c.out || strings.Count(a.err, "\n") > 1 {
			t.Errorf("%q: want exit code %d and %q: %s", c.args, c.code, c.says, a)
		}
	}
}
