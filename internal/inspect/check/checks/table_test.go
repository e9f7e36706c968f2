package checks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/golden"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// catalogue is read once for all cases.
var catalogue = sync.OnceValues(catalog.Load)

// part is a file of a case.
type part struct{ name, text string }

func split(text string) (out []part) {
	for _, f := range txtar.Parse([]byte(text)).Files {
		out = append(out, part{f.Name, string(f.Data)})
	}
	return out
}

// load returns the world of a case: the healthy pair of testdata/base, whose files are replaced by those of the case.
// HOST/SOURCE is a source of a host, fabric.yaml the plan; the text (none) removes a source. A file with the name
// "without a plan" means that there is none. Any other HOST is an additional machine, or a switch of fabric.yaml with
// that name. HOST/counts and HOST/events are facts of these kinds from any source.
func load(t *testing.T, c []part) *check.World {
	t.Helper()
	files := map[string][]part{}
	machines := []string{"a", "b"}
	for _, h := range machines {
		text, err := os.ReadFile("testdata/base/" + h + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n-- ")
		files[h] = append([]part{{"", head}}, split(string(text))...)
	}
	yaml, err := os.ReadFile("testdata/base/fabric.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c {
		h, source, ok := strings.Cut(f.name, "/")
		switch {
		case f.name == "fabric.yaml":
			yaml = []byte(f.text)
		case ok && files[h] == nil:
			machines = append(machines, h)
			files[h] = []part{{"", "host " + h}, {source, f.text}}
		case ok && f.text == "(none)\n":
			files[h] = slices.DeleteFunc(files[h], func(p part) bool { return p.name == source })
		case ok:
			i := slices.IndexFunc(files[h], func(p part) bool { return p.name == source })
			if i < 0 {
				files[h] = append(files[h], part{source, f.text})
			} else {
				files[h][i].text = f.text
			}
		}
	}
	path := filepath.Join(t.TempDir(), "fabric.yaml")
	if err := os.WriteFile(path, yaml, 0o600); err != nil {
		t.Fatal(err)
	}
	catalog, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Load(path, fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	f.Path = "fabric.yaml" // as in fixes
	p := plan.Build(f)
	w := &check.World{Plan: p}
	if slices.ContainsFunc(c, func(p part) bool { return p.name == "without a plan" }) {
		w.Plan = nil
	}
	for _, h := range machines {
		var text bytes.Buffer
		for _, f := range files[h] {
			if f.name == "counts" || f.name == "events" {
				continue
			}
			if f.name == "" {
				text.WriteString(strings.TrimRight(f.text, "\n") + "\n")
				continue
			}
			fmt.Fprintf(&text, "-- %s --\n%s", f.name, f.text)
		}
		got, err := read.Parse(text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range got.Unknown {
			t.Errorf("%s: %s: %s", h, u.Subject, u.Reason)
		}
		for _, f := range files[h] {
			given(t, got, f)
		}
		if !w.Add(h, got) {
			t.Errorf("%s: it is not a machine of fabric.yaml", h)
		}
	}
	return w
}

// given adds facts that a case states without a source: "KIND SUBJECT VALUE FRAMES: LINE" of a counter, with - for
// unknown FRAMES, and "KIND SUBJECT COUNT: LINE" of an event.
func given(t *testing.T, to *facts.Facts, p part) {
	t.Helper()
	if p.name != "counts" && p.name != "events" {
		return
	}
	number := func(s string) uint64 {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		return v
	}
	for line := range strings.Lines(p.text) {
		head, proof, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		words := strings.Fields(head)
		if len(words) > 1 && words[1] == "-" {
			words[1] = "" // the machine
		}
		switch {
		case ok && p.name == "counts" && len(words) == 4:
			c := facts.Count{What: facts.Counted(words[0]), Subject: words[1], Value: number(words[2]),
				Proof: facts.Proof{Source: "given", Line: proof}}
			if words[3] != "-" {
				c.Of = unit.Known(number(words[3]))
			}
			to.Counts = append(to.Counts, c)
		case ok && p.name == "events" && len(words) == 3:
			to.Events = append(to.Events, facts.Event{What: facts.Happening(words[0]), Subject: words[1],
				Count: int(number(words[2])), Proof: facts.Proof{Source: "given", Line: proof}})
		default:
			t.Fatalf("%s: %q", p.name, line)
		}
	}
}

// said formats a result as in the cases.
func said(r check.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s\n%s: %s; wanted: %s\ncosts: %s\n", f.Severity, f.ID, f.Subject, f.Have, f.Want, f.Consequence)
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "seen: %s, %s: %s\n", e.Host, e.Source, e.Line)
		}
		fmt.Fprintf(&b, "fix: %s\n", f.Fix)
		if f.Undo != "" {
			fmt.Fprintf(&b, "undo: %s\n", f.Undo)
		}
		for _, x := range f.Explains {
			fmt.Fprintf(&b, "so: %s: %s (%s)\n", x.Subject, x.Have, x.ID)
		}
	}
	for _, u := range r.Unknown {
		fmt.Fprintf(&b, "not known: %s: %s\n", u.Subject, u.Reason)
	}
	return b.String()
}

// wanted returns what a case expects the checks to print.
func wanted(t *testing.T, c []part) string {
	t.Helper()
	p, ok := xslices.Find(c, func(p part) bool { return p.name == "want" })
	if !ok {
		t.Error("it has no part named want; -update writes it")
	}
	return p.text
}

// without returns the check that must not find anything in a case: that of not-ID.txtar and of not-ID-MORE.txtar.
func without(name string) (id string) {
	about, ok := strings.CutPrefix(name, "not-")
	for _, k := range All() {
		if ok && (about == k.ID || strings.HasPrefix(about, k.ID+"-")) && len(k.ID) > len(id) {
			id = k.ID
		}
	}
	return id
}

// Every check finds its faults with the expected text, and is silent about what only looks similar (not-ID.txtar).
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen, ran := map[string]bool{}, map[string]bool{}
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			ran[name] = true
			c := split(string(text))
			r := check.Run(All(), load(t, c), check.Choice{})
			got := said(r)
			if golden.Updates() {
				head, _, _ := strings.Cut(string(text), "-- want --\n")
				golden.Write(t, path, head+"-- want --\n"+got)
			} else if diff := cmp.Diff(strings.SplitAfter(wanted(t, c), "\n"), strings.SplitAfter(got, "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, f := range r.Findings {
				seen[f.ID] = true
				readBack(t, f.Subject)
				for _, x := range f.Explains {
					seen[x.ID] = true
					readBack(t, x.Subject)
				}
				if f.Have == "" || f.Want == "" || f.Consequence == "" || f.Fix == "" || len(f.Evidence) == 0 || f.Source == "" {
					t.Errorf("something is left out: %+v", f)
				}
				k := All()[slices.IndexFunc(All(), func(k check.Check) bool { return k.ID == f.ID })]
				if f.Severity.Rank() < k.Worst.Rank() {
					t.Errorf("%s is worse than its check says: %s", f.ID, f.Severity)
				}
			}
			not := without(name)
			if slices.ContainsFunc(r.Findings, func(f record.Finding) bool { return f.ID == not }) {
				t.Errorf("it finds %s", not)
			}
		})
	}
	if len(ran) < len(cases) {
		return // -run names one case
	}
	for _, k := range All() {
		for _, name := range []string{k.ID, "not-" + k.ID} {
			if _, err := os.Stat("testdata/" + name + ".txtar"); err != nil {
				t.Errorf("there is no case testdata/%s.txtar", name)
			}
		}
		if !seen[k.ID] {
			t.Errorf("no case has %s", k.ID)
		}
	}
}

// readBack compares a subject with what is read from its text: a record answers as the checks did.
func readBack(t *testing.T, s record.Subject) {
	t.Helper()
	if got := record.ReadSubject(s.String()); !reflect.DeepEqual(got, s) {
		t.Errorf("%s: %+v is read back as %+v", s, s, got)
	}
}

func TestSoundPair(t *testing.T) {
	if got := said(check.Run(All(), load(t, nil), check.Choice{})); got != "" {
		t.Errorf("the pair of testdata/base is to have nothing:\n%s", got)
	}
}

// With nothing known of the hosts, no check panics, and none reports that all is well.
func TestNothingKnown(t *testing.T) {
	w := load(t, nil)
	for _, h := range w.Hosts {
		h.Facts = &facts.Facts{}
	}
	r := check.Run(All(), w, check.Choice{})
	if len(r.Findings) > 0 || len(r.Unknown) == 0 {
		t.Errorf("%+v", r)
	}
	for _, h := range w.Hosts {
		h.Plan = nil
	}
	w.Plan = nil
	if r := check.Run(All(), w, check.Choice{}); len(r.Findings) > 0 {
		t.Errorf("without a plan: %+v", r)
	}
}

func TestChoice(t *testing.T) {
	text, err := os.ReadFile("testdata/mtu.txtar")
	if err != nil {
		t.Fatal(err)
	}
	w := load(t, split(string(text)))
	for _, c := range []struct {
		choice check.Choice
		found  bool
	}{{check.Choice{}, true}, {check.Choice{Only: []string{"mtu"}}, true}, {check.Choice{Only: []string{"duplex"}}, false},
		{check.Choice{Skip: []string{"mtu"}}, false}} {
		if got := len(check.Run(All(), w, c.choice).Findings) > 0; got != c.found || c.choice.Validate(All()) != nil {
			t.Errorf("%+v: found %t", c.choice, got)
		}
	}
	if err := (check.Choice{Skip: []string{"mtv"}}).Validate(All()); err == nil || !strings.Contains(err.Error(), "mtv") {
		t.Error(err)
	}
}

// docs/checks.md is written from the records.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# What is looked at on hosts that are there

` + "`linerate check FABRIC`" + ` lists what is not as it should be, each line with the id of a check. ` +
		"`--checks ID,ID` and `--skip ID,ID`" + ` choose; the exit code is 3 when there is an error.

- **error**: costs at least a tenth of what the path could carry, or reachability, or data.
- **warning**: costs less, or may.
- **info**: costs nothing now.

The second column is the worst that a check says.

| id | worst | what is looked at | why | source |
|---|---|---|---|---|
`)
	for _, k := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.ID, k.Worst, k.Title, k.Why, k.Source)
	}
	golden.Compare(t, "../../../../docs/checks.md", b.String())
}
