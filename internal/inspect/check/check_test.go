package check

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var update = flag.Bool("update", false, "write what the checks say into the cases")

// catalogue is read once for all cases.
var catalogue = sync.OnceValues(catalog.Load)

// part is a file of a case: behind a line "-- NAME --".
type part struct{ name, text string }

func split(text string) (out []part) {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(name, " --") {
			out = append(out, part{name: strings.TrimSuffix(name, " --")})
		} else if len(out) > 0 {
			out[len(out)-1].text += line
		}
	}
	return out
}

// load makes a world of a case: the sound pair of testdata/base, in which the case's files take the place of those of
// their name. HOST/SOURCE is a source of a host, fabric.yaml the plan; the text (none) takes a source away.
// A file of the name "without a plan" says that there is none. Any other HOST is a machine of its own, a switch of fabric.yaml
// if it has one of that name. HOST/counts and HOST/events are facts of these kinds as they are, whatever source they came from.
func load(t *testing.T, c []part) *World {
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
	f.Path = "fabric.yaml" // as it stands in fixes
	p := plan.Build(f)
	w := &World{Plan: p}
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
		got, err := facts.Parse(text.Bytes())
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
			t.Errorf("%s: it is no machine of fabric.yaml", h)
		}
	}
	return w
}

// given adds facts that a case states without a source: "KIND SUBJECT VALUE FRAMES: LINE" of a counter, FRAMES being - where
// they are not known, and "KIND SUBJECT COUNT: LINE" of an event.
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
			c := facts.Count{What: facts.Counted(words[0]), Subject: words[1], Value: number(words[2]), Proof: facts.Proof{Source: "given", Line: proof}}
			if words[3] != "-" {
				c.Of = unit.Known(number(words[3]))
			}
			to.Counts = append(to.Counts, c)
		case ok && p.name == "events" && len(words) == 3:
			to.Events = append(to.Events, facts.Event{What: facts.Happening(words[0]), Subject: words[1], Count: int(number(words[2])), Proof: facts.Proof{Source: "given", Line: proof}})
		default:
			t.Fatalf("%s: %q", p.name, line)
		}
	}
}

// said is a result as the cases keep it.
func said(r Result) string {
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

// Every check finds what it is for, says it as written, and is silent about what only looks alike (not-ID.txtar).
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c := split(string(text))
			r := Run(load(t, c), Choice{})
			got := said(r)
			if *update {
				head, _, _ := strings.Cut(string(text), "-- want --\n")
				if err := os.WriteFile(path, []byte(head+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if i := slices.IndexFunc(c, func(p part) bool { return p.name == "want" }); i < 0 || c[i].text != got {
				t.Errorf("the checks say:\n%s", got)
			}
			for _, f := range r.Findings {
				seen[f.ID] = true
				for _, x := range f.Explains {
					seen[x.ID] = true
				}
				if f.Have == "" || f.Want == "" || f.Consequence == "" || f.Fix == "" || len(f.Evidence) == 0 || f.Source == "" {
					t.Errorf("something is left out: %+v", f)
				}
				k := checks[slices.IndexFunc(checks, func(k Check) bool { return k.ID == f.ID })]
				if f.Severity.Rank() < k.Worst.Rank() {
					t.Errorf("%s is worse than its check says: %s", f.ID, f.Severity)
				}
			}
			if not, ok := strings.CutPrefix(name, "not-"); ok && slices.ContainsFunc(r.Findings, func(f record.Finding) bool { return f.ID == not }) {
				t.Errorf("it finds %s", not)
			}
		})
	}
	for _, k := range checks {
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

func TestSoundPair(t *testing.T) {
	if got := said(Run(load(t, nil), Choice{})); got != "" {
		t.Errorf("the pair of testdata/base is to have nothing:\n%s", got)
	}
}

// Nothing is known of the hosts: no check breaks, and none says that all is well.
func TestNothingKnown(t *testing.T) {
	w := load(t, nil)
	for _, h := range w.Hosts {
		h.Facts = &facts.Facts{}
	}
	r := Run(w, Choice{})
	if len(r.Findings) > 0 || len(r.Unknown) == 0 {
		t.Errorf("%+v", r)
	}
	for _, h := range w.Hosts {
		h.Plan = nil
	}
	w.Plan = nil
	if r := Run(w, Choice{}); len(r.Findings) > 0 {
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
		choice Choice
		found  bool
	}{{Choice{}, true}, {Choice{Only: []string{"mtu"}}, true}, {Choice{Only: []string{"duplex"}}, false}, {Choice{Skip: []string{"mtu"}}, false}} {
		if got := len(Run(w, c.choice).Findings) > 0; got != c.found || c.choice.Validate() != nil {
			t.Errorf("%+v: found %t", c.choice, got)
		}
	}
	if err := (Choice{Skip: []string{"mtv"}}).Validate(); err == nil || !strings.Contains(err.Error(), "mtv") {
		t.Error(err)
	}
}
