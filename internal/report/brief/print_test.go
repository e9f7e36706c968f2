package brief

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/terminal"
	"linerate/internal/runfile"
	"linerate/internal/testenv"
)

const page = "runs/2026-11-21-mesh-10g-7f3c/report.html"

// printed is the report of a run in short.
func printed(t testing.TB, r *record.Run, term terminal.Terminal, ref string) string {
	t.Helper()
	var b bytes.Buffer
	term.Out = &b
	if err := Print(term, highlight.Find(r), ref); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// complete is the whole text of a run.
func complete(t testing.TB, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.PrintRun(terminal.Terminal{Width: 80, Out: &b}, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// recorded are all recorded runs of the tree, judged by today's causes, by their names. No test changes them.
func recorded(t testing.TB) map[string]*record.Run {
	t.Helper()
	return maps.Clone(testenv.Must(judgedRuns())(t))
}

var judgedRuns = sync.OnceValues(func() (map[string]*record.Run, error) {
	files, err := filepath.Glob("../../explain/testdata/runs/*/*" + runfile.Extension)
	if err != nil || len(files) < 100 {
		return nil, fmt.Errorf("%d recorded runs: %w", len(files), err)
	}
	parts, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	all := map[string]*record.Run{}
	for _, file := range files {
		of, err := runfile.Open(file)
		if err != nil {
			return nil, err
		}
		manifest, err := of.Read(runfolder.ManifestName)
		if err != nil {
			return nil, err
		}
		r := &record.Run{}
		if err := json.Unmarshal(manifest, r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		p := explain.RecordedPlan(r)
		if r.FabricText != "" {
			f, problems := fabric.Parse(r.FabricPath, []byte(r.FabricText),
				fabric.Options{Catalog: parts, Variant: r.Variant})
			if len(problems) > 0 {
				return nil, problems
			}
			p = plan.Build(f)
		}
		if len(r.Plan.Links) == 0 {
			r.Plan = p.Picture()
		}
		r.Complete = true
		explain.Run(p, r, of.Read)
		all[filepath.Base(filepath.Dir(file))+"/"+of.Name] = r
	}
	return all, nil
})

// everyRun are the recorded runs and those of the fixtures.
func everyRun(t *testing.T) map[string]*record.Run {
	all := recorded(t)
	for name, of := range reporttest.Fixtures() {
		all["fixture/"+name] = of()
	}
	for name, r := range map[string]*record.Run{"storage": reporttest.StorageFixture(), "halo": reporttest.HaloRun(),
		"rdma": reporttest.VerbsRun(), "app": reporttest.AppFixture(), "highlights": reporttest.HighlightRun(8),
		"worked": reporttest.Worked(t), "nothing": {}} {
		all["fixture/"+name] = r
	}
	return all
}

// copied matches a line with a command to copy that cannot be broken: one for Windows, or one long word.
var copied = regexp.MustCompile(`powershell|-Net[A-Z]|^\s*\S+(?: \\)?$|^\s*'[^']*'(?: \\)?$`)

// Every run has at most thirty lines of eighty columns, and a line more for each further row of the table of links.
func TestSize(t *testing.T) {
	for name, r := range everyRun(t) {
		b := newBrief(terminal.Terminal{Width: 200, Page: page}, highlight.Find(r), "7f3c")
		b.fitted()
		text := printed(t, r, terminal.Terminal{Width: 200, Page: page}, "7f3c")
		all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if most := lines + max(0, b.rows-freeRows); len(all) > most {
			t.Errorf("%s: %d lines, at most %d:\n%s", name, len(all), most, text)
		}
		for _, line := range all {
			if format.Width(line) > columns && name != "fixture/hostile" && !copied.MatchString(line) {
				t.Errorf("%s: %d columns: %s", name, format.Width(line), line)
			}
			if line != strings.TrimRight(line, " ") {
				t.Errorf("%s: blanks at the end of %q", name, line)
			}
		}
		if strings.Contains(text, "\n\n\n") || strings.HasPrefix(text, "\n") || strings.Contains(text, "%!") {
			t.Errorf("%s:\n%s", name, text)
		}
		reporttest.Safe(t, text)
	}
}

// Why a host could not be used has room in every report, whatever else was measured.
func TestUnusedHost(t *testing.T) {
	for name, r := range everyRun(t) {
		if name == "fixture/hostile" {
			continue
		}
		one := *r
		one.Hosts = append([]record.HostState{{Name: "b", Error: "ssh ended with exit code 255"}}, r.Hosts...)
		text := strings.Join(strings.Fields(printed(t, &one, terminal.Terminal{Width: 80, Page: page}, "7f3c")), " ")
		if !strings.Contains(text, "b could not be used: ssh ended with exit code 255") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// A report has no path ids, formulas, ids of processes or temporary paths.
func TestNoInternals(t *testing.T) {
	internals := regexp.MustCompile(`/tmp/|/dev/shm|payload \*|\bpid \d|--sw\.\d+--`)
	for name, r := range everyRun(t) {
		if text := printed(t, r, terminal.Terminal{}, "7f3c"); internals.MatchString(text) && name != "fixture/hostile" {
			t.Errorf("%s: %q in\n%s", name, internals.FindString(text), text)
		}
	}
}

// What the report in short leaves out is in the complete text: its figures, its causes and its notes.
func TestNothingLost(t *testing.T) {
	for name, r := range everyRun(t) {
		whole := strings.Join(strings.Fields(complete(t, r)), " ")
		for _, c := range report.Causes(r) {
			if s := format.Clean(c.Verdict.Sentence); s != "" && len(report.Causes(r)) <= 6 && !strings.Contains(whole, s) {
				t.Errorf("%s: the complete text is missing %q", name, s)
			}
		}
		for _, n := range report.Notes(r) {
			if s := format.Clean(n.Text); !strings.Contains(whole, strings.Join(strings.Fields(s), " ")) {
				t.Errorf("%s: the complete text is missing the note %q", name, s)
			}
		}
		b := newBrief(terminal.Terminal{}, highlight.Find(r), "")
		for _, w := range b.links {
			for _, c := range w.Combinations {
				if c.Goodput != nil && len(w.Combinations) <= 2 && !strings.Contains(whole, format.Rate(c.Goodput.Median)) {
					t.Errorf("%s: the complete text is missing %s", name, format.Rate(c.Goodput.Median))
				}
			}
		}
	}
}

// Notes, evidence and CPU time have their own views.
func TestViews(t *testing.T) {
	r := reporttest.Worked(t)
	r.Warnings = append(r.Warnings, "the clock of nas is late")
	r.Unchecked = []record.Unknown{{Subject: "nas: PCIe", Reason: "lspci needs root"}}
	show := func(v report.Views) string {
		return reporttest.Written(t, func(w io.Writer) error {
			return v.Print(terminal.Terminal{Width: 80, Out: w}, highlight.Find(r))
		})
	}
	reporttest.Has(t, show(report.Views{Notes: true}), "the clock of nas is late", "lspci needs root")
	reporttest.Has(t, show(report.Views{CPU: true}), "CPUs")
	reporttest.HasNot(t, show(report.Views{CPU: true}), "the clock of nas is late")
	if whole := show(report.Views{All: true, CPU: true}); whole != complete(t, r) {
		t.Errorf("--all is not everything:\n%s", whole)
	}
	slow := reporttest.Fixture(t, "mesh")
	text := reporttest.Written(t, func(w io.Writer) error {
		return report.PrintEvidence(terminal.Terminal{Width: 80, Out: w}, slow)
	})
	reporttest.Has(t, text, "rwnd_limited 98 % of the time", "ceiling of nas -> desktop", "pcie2x8, payload 128")
}

func TestGolden(t *testing.T) {
	runs := recorded(t)
	for name, r := range reporttest.Fixtures() {
		if name != "hostile" {
			runs[name] = reporttest.Fixture(t, name)
		}
		_ = r
	}
	runs["storage"], runs["nothing"] = reporttest.StorageFixture(), nothingRun()
	for file, name := range map[string]string{
		"slow-cause": "mesh", "slow-unexplained": "pair", "incomplete": "incomplete", "unknown": "unknown",
		"switched": "switched", "sweep": "sweep", "storage": "storage", "nothing": "nothing",
		"healthy": "made/mesh-streams", "group": "made/group-patterns", "cpu": "exam/segments-few",
		"loss": "exam/loss-random",
	} {
		r := runs[name]
		if r == nil {
			t.Errorf("no run %s", name)
			continue
		}
		golden.Compare(t, fmt.Sprintf("testdata/%s.txt", file), printed(t, r, terminal.Terminal{Page: page}, "7f3c"))
	}
}

// nothingRun is a run of which no experiment could be measured.
func nothingRun() *record.Run {
	r := reporttest.MeshRun()
	for _, e := range r.Experiments {
		e.Goodput, e.Latency, e.Repeats, e.Verdict = nil, nil, nil, nil
		if e.NotRun == "" {
			e.Failed = "desktop: ssh: connect to host desktop port 22: Connection refused"
		}
	}
	r.Sentence = explain.Sentence(r)
	r.Goals = nil
	return r
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		`linerate measure throughput --from "ssh root@nas" --to 'a b'`: `linerate|measure|throughput|--from|"ssh root@nas"|--to|'a b'`,
		`sysctl -w a="1 2 3"`: `sysctl|-w|a="1 2 3"`,
		"":                    "",
	} {
		if got := strings.Join(words(text), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A long command is broken so that a shell still reads it as one.
func TestContinued(t *testing.T) {
	text := `linerate measure throughput --from "ssh root@nas" --to "ssh desk" --streams 8 --direction out`
	got := continued(text, 40)
	if len(got) < 2 {
		t.Fatalf("%q", got)
	}
	joined := ""
	for i, line := range got {
		if format.Width(line) > 40 {
			t.Errorf("%d columns: %q", format.Width(line), line)
		}
		last := i == len(got)-1
		if strings.HasSuffix(line, ` \`) == last {
			t.Errorf("line %d of %d: %q", i, len(got), line)
		}
		joined += strings.TrimSuffix(line, `\`)
	}
	if joined != text {
		t.Errorf("%q", joined)
	}
	windows := "Set-NetAdapterAdvancedProperty -Name x -DisplayName 'Jumbo' -DisplayValue 9014"
	if got := continued(windows, 40); len(got) != 1 {
		t.Errorf("for Windows: %q", got)
	}
}

// A row of whatif names the ceiling that the sentence names: the present one only where no known ceiling is lower.
func TestThen(t *testing.T) {
	yes, slot, link := true, 2.5e7, 1.98e8
	x := record.WhatIfOne{Stays: &yes, Goodput: record.Estimate{Median: link}, Ceilings: []record.NextCeiling{
		{Component: "slot of nas.cx5", Band: record.Band{Low: &slot, High: &slot}},
		{Component: "link", Band: record.Band{Low: &link, High: &link}, Today: true}}}
	if got := then(x); got != "slot of nas.cx5" {
		t.Errorf("a lower ceiling: %q", got)
	}
	x.Ceilings = x.Ceilings[1:]
	if got := then(x); got != "link, as today" {
		t.Errorf("none is lower: %q", got)
	}
	x.Stays = nil
	if got := then(x); got != "link, as today" {
		t.Errorf("not known whether it stays: %q", got)
	}
}

// A latency without a p99 leaves no gap for it.
func TestLatencyWithoutP99(t *testing.T) {
	r := reporttest.Fixture(t, "pair")
	e := *r.Experiments[0]
	e.ID, e.Name, e.Method, e.Goodput, e.Verdict = "late", "late", method.Latency, nil, nil
	e.Settings, e.Load = map[string]string{"load_streams": "4"}, &record.Load{Streams: 4}
	e.Latency = &record.Latency{P50: 2e-3}
	r.Experiments = append(r.Experiments, &e)
	text := printed(t, r, terminal.Terminal{Width: 80, Page: page}, "7f3c")
	testenv.Contains(t, "the report", text, "  2.00 ms  RTT p50, under load\n")
}

// The most severe finding of the checks has its command and the host to type it on.
func TestFindings(t *testing.T) {
	r := reporttest.Fixture(t, "mesh")
	subject := record.Subject{Host: "nas", Parts: []string{"xg0"}}
	r.Findings = []record.Finding{
		{ID: "ring", Severity: record.Warning, Subject: subject, Have: "512", Want: "4096", Fix: "ethtool -G xg0 rx 4096"},
		{ID: "mtu", Severity: record.Error, Subject: subject, Have: "MTU 9000", Want: "1500, as the link has",
			Fix: "ip link set dev xg0 mtu 1500\nor write mtu: 9000 in the fabric file"},
	}
	text := printed(t, r, terminal.Terminal{Width: 80, Page: page}, "7f3c")
	testenv.Contains(t, "the report", text, "checks  2 problems on the hosts; the most severe (mtu):\n"+
		"        nas: xg0: MTU 9000; wanted: 1500\n        fix  on nas: ip link set dev xg0 mtu 1500\n")
}
