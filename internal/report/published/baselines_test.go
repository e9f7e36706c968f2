package published

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

func all(t *testing.T) []*Baseline {
	t.Helper()
	var out []*Baseline
	for _, name := range Names() {
		b, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if b.Name != name {
			t.Errorf("%s.yaml says that it is %s", name, b.Name)
		}
		out = append(out, b)
	}
	if len(out) != 5 {
		t.Fatalf("%d baselines", len(out))
	}
	return out
}

// squeezed removes from a text what line breaks and typesetting change.
func squeezed(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("’", "'", "µ", "u", "\u00a0", " ").Replace(s)), " ")
}

// Every figure is in its document, with the wording in the baseline.
func TestFiguresAreTheDocuments(t *testing.T) {
	found, err := filepath.Glob("../../../../shared/seeds/*.txt")
	if err != nil || len(found) == 0 {
		t.Skip("the documents are not here")
	}
	documents := map[string]string{}
	for name, number := range map[string]string{"nas-40g": "000", "mesh-10g": "001", "pairs-ib": "002",
		"eval-25g": "003", "roce-100g": "004"} {
		for _, file := range found {
			if strings.HasPrefix(filepath.Base(file), number) {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				documents[name] = squeezed(string(b))
			}
		}
	}
	figures := 0
	for _, b := range all(t) {
		for _, r := range b.Rows {
			said := squeezed(r.Text)
			if !strings.Contains(documents[b.Name], said) {
				t.Errorf("%s, %s: the document does not say %q", b.Name, r.ID, r.Text)
			}
			for _, n := range r.Value.Numbers() {
				figures++
				if !slices.Contains(numbers(said), n) {
					t.Errorf("%s, %s: %s is not in %q", b.Name, r.ID, n, r.Text)
				}
			}
		}
	}
	if figures < 130 {
		t.Errorf("%d figures", figures)
	}
}

func numbers(s string) []string {
	var out []string
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !(r >= '0' && r <= '9' || r == '.' || r == ',') }) {
		out = append(out, strings.Trim(f, ".,"))
	}
	return out
}

// values returns the experiments of an example as records without figures, in all of its variants.
func values(t *testing.T, file string) *record.Run {
	t.Helper()
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("../../..", file))
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Run{ID: "aaaa"}
	for _, variant := range []string{"", "competitor", "ten", "windows", "windows+competitor", "payload128"} {
		for name := range strings.SplitSeq(variant, "+") {
			if name != "" && !strings.Contains(string(text), "\n  "+name+":") {
				variant = "-"
			}
		}
		if variant == "-" {
			continue
		}
		f, problems := fabric.Parse(file, text, fabric.Options{Catalog: catalog, Variant: variant})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		p := plan.Build(f)
		if variant == "" {
			r.Plan = p.Picture()
		}
		list, err := run.Combinations(p, experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			c.Record.Variant = variant
			r.Experiments = append(r.Experiments, c.Record)
		}
	}
	return r
}

// Every figure is of a thing that the example of its document measures, or has the reason why it is not.
func TestFiguresAreOfTheExamples(t *testing.T) {
	for _, b := range all(t) {
		r := values(t, b.Example)
		measured, not := 0, 0
		for _, row := range b.Rows {
			if row.Not != "" {
				not++
				continue
			}
			measured++
			if row.Metric == "cost" {
				if c, why := alignCost(r, &row,
					record.Comparison{Published: &record.Published{}}); why != "" || c.Ratio == nil || *c.Ratio < 0.99 ||
					*c.Ratio > 1.01 {
					t.Errorf("%s, %s: %+v %s", b.Name, row.ID, c, why)
				}
				continue
			}
			like := alike(r, row.Is)
			if !slices.ContainsFunc(like, func(e *record.Experiment) bool { return e.Name == row.Of }) {
				t.Errorf("%s, %s: no experiment %s of %s is the same thing: %s", b.Name, row.ID, row.Of, b.Example,
					nothingLike(r, &row))
			}
			if row.Over != nil {
				is := map[string]string{}
				for _, m := range []map[string]string{row.Is, row.Over} {
					for k, v := range m {
						is[k] = v
					}
				}
				if len(alike(r, is)) == 0 {
					t.Errorf("%s, %s: the example has nothing that it is over", b.Name, row.ID)
				}
			}
			if e := like; len(e) > 0 && row.Rate > 0 && rateOf(r, e[0]) > 0 && rateOf(r, e[0]) != row.Rate {
				t.Errorf("%s, %s: the example's link has %g, the document's %g", b.Name, row.ID, rateOf(r, e[0]), row.Rate)
			}
		}
		t.Logf("%s: %d figures have an experiment, %d say why not", b.Name, measured, not)
	}
}

// A figure of the same thing is compared with the document's, with what differs. What is unlike is refused with the
// reason.
func TestAlign(t *testing.T) {
	b, err := Load("nas-40g")
	if err != nil {
		t.Fatal(err)
	}
	stream := func(streams, mtu string, gbits float64) *record.Experiment {
		return &record.Experiment{ID: streams + mtu, Name: "mine", Method: "throughput", From: "pc", To: "box",
			Direction: "out",
			Settings:  map[string]string{"streams": streams, "mtu": mtu},
			Goodput: &record.Estimate{Median: gbits * 1e9, Low: gbits * 0.98e9, High: gbits * 1.01e9,
				Interval: "range", Repeats: 3},
			Links: []string{"l"}}
	}
	find := func(a Aligned, id string) (*record.Comparison, string) {
		for i := range a.Comparisons {
			if a.Comparisons[i].Base.ID == id {
				return &a.Comparisons[i], ""
			}
		}
		for _, r := range a.Refused {
			if r.ID == id {
				return nil, r.Why
			}
		}
		t.Fatalf("%s is in neither list", id)
		return nil, ""
	}
	r := &record.Run{ID: "kxzp", Plan: record.Picture{Links: []record.PictureLink{{Name: "l", Rate: 40e9}}},
		Experiments: []*record.Experiment{stream("4", "1500", 11), stream("4", "9000", 24.1), stream("1", "9000", 9)}}
	a := Align(r, b)
	c, _ := find(a, "tcp-9000")
	if c == nil || c.Other.Median != 24.1e9 || c.Base.Median != 24.5e9 || c.Ratio == nil || *c.Ratio < 0.983 ||
		*c.Ratio > 0.984 || len(c.Published.Differs) != 0 || len(c.Published.Same) != 2 || c.Different != nil {
		t.Errorf("%+v", c)
	}
	if c, _ := find(a, "tcp-1500-hovers"); c == nil || c.Base.Median != 12e9 {
		t.Errorf("compared with the nearer end of 12..13: %+v", c)
	}
	if _, why := find(a, "ping"); !strings.Contains(why, "no experiment of the method latency") {
		t.Error(why)
	}
	r.Experiments = r.Experiments[2:]
	if _, why := find(Align(r, b), "tcp-9000"); !strings.Contains(why, "streams 1 where the document has 4") {
		t.Error(why)
	}
	// Another link and MTU is reported, and compared.
	r.Plan.Links[0].Rate, r.Experiments = 25e9, []*record.Experiment{stream("4", "1500", 20)}
	if c, _ := find(Align(r, b), "tcp-9000"); c == nil ||
		strings.Join(c.Published.Differs, "; ") != "MTU 9000 to 1500; link 40.0 Gb/s to 25.0 Gb/s" {
		t.Errorf("%+v", c)
	}
	// A lab has no ratio; an emulated machine neither.
	r.Lab = &record.Lab{Scale: 0.1}
	if c, _ := find(Align(r, b), "tcp-9000"); c == nil || c.Ratio != nil || !strings.Contains(c.Why, "lab at 1/10") {
		t.Errorf("%+v", c)
	}
	r.Lab, r.Experiments[0].Emulated = nil, true
	if c, _ := find(Align(r, b), "tcp-9000"); c == nil || c.Ratio != nil || !strings.Contains(c.Why, "emulated") {
		t.Errorf("%+v", c)
	}
	// An experiment that did not run has no figure.
	r.Experiments[0].Goodput, r.Experiments[0].NotRun = nil, "the file says so"
	if _, why := find(Align(r, b), "tcp-9000"); !strings.Contains(why, "the file says so") {
		t.Error(why)
	}
}

// A ratio of the document is compared with the ratio of the same two experiments.
func TestAlignRatio(t *testing.T) {
	b, err := Load("eval-25g")
	if err != nil {
		t.Fatal(err)
	}
	block := func(variant string, iops float64) *record.Experiment {
		return &record.Experiment{ID: variant, Name: "iscsi", Method: "storage", Direction: "out", Variant: variant,
			Settings: map[string]string{"transport": "iscsi", "access": "random", "size": "512B", "read": "100%"},
			IOPS:     &record.Estimate{Median: iops, Low: iops, High: iops, Interval: "range", Repeats: 1}}
	}
	r := &record.Run{ID: "kxzp", Experiments: []*record.Experiment{block("", 300e3), block("competitor", 150e3)}}
	a := Align(r, b)
	if len(a.Comparisons) != 1 || a.Comparisons[0].Base.ID != "linux-512-read" || a.Comparisons[0].Other.Median != 2 ||
		a.Comparisons[0].Base.Median != 2.13 {
		t.Fatalf("%+v", a.Comparisons)
	}
	r.Experiments = r.Experiments[:1]
	a = Align(r, b)
	if len(a.Comparisons) != 0 || !strings.Contains(a.Refused[0].Why, "variant competitor") {
		t.Errorf("%+v %+v", a.Comparisons, a.Refused[0])
	}
}

// Errors in a baseline are reported together, each with its line.
func TestErrors(t *testing.T) {
	good := "baseline: a\ntitle: b\nexample: c\nrows:\n  - id: x\n    what: w\n    section: s\n    text: t\n    value: " +
		"5 Gb/s\n    metric: goodput\n    is: {method: throughput}\n    of: raw\n"
	if _, problems := Parse("a.yaml", []byte(good)); len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, c := range []struct{ old, new, line, says string }{
		{"metric: goodput", "metrik: goodput", ":10:", "write metric"},
		{"value: 5 Gb/s", "value: 5 Gb", ":9:", "is not a figure"},
		{"value: 5 Gb/s", "value: 9..5 Gb/s", ":9:", "is not a figure"},
		{"value: 5 Gb/s", "value: 5 s", ":5:", "is not a goodput"},
		{"metric: goodput", "metric: speed", ":5:", "is not a metric"},
		{"    of: raw\n", "", ":5:", "which experiment"},
		{"    is: {method: throughput}\n", "", ":5:", "neither"},
		{"is: {method: throughput}", "is: {methd: stream}", ":11:", "write method"},
		{"is: {method: throughput}", "is: {method: throughput}\n    mtu: 12", ":12:", "not an MTU"},
		{"is: {method: throughput}", "is: {method: throughput}\n    not: none", ":5:", "leave one"},
		{"is: {method: throughput}", "is: stream", ":11:", "not a mapping"},
		{"title: b\n", "", ":1:", "no title"},
		{"rows:", "rows: []\nx:", ":5:", "not a key"},
		{good, "", ":1:", "empty"},
		{good, "rows: [", "a.yaml:", ""},
		{good, "a: b: c", ":1:", "second key"},
		{"    of: raw\n", "    of: raw\n  - {id: x, what: w, section: s, text: t, value: 5 s, not: no}\n", ":13:",
			"another row"},
		{"    of: raw\n", "    of: raw\ntables:\n  - {section: s, metric: iops, unit: IOPS, columns: [{id: c, of: o, is: " +
			"{method: storage}}], rows: [{id: l, what: w, text: t, values: [1, 2]}]}\n", ":14:", "2 values"},
	} {
		_, problems := Parse("a.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		if len(problems) == 0 || !strings.Contains(problems.Error(), c.line) || !strings.Contains(problems.Error(), c.says) {
			t.Errorf("%q: want %s and %q, got %v", c.new, c.line, c.says, problems)
		}
	}
	if _, problems := Parse("a.yaml",
		[]byte(strings.NewReplacer("title: b\n", "", "5 Gb/s", "fast").Replace(good))); len(problems) != 2 {
		t.Errorf("two errors, and %d reported", len(problems))
	}
	if _, err := Load("nas-40"); err == nil || !strings.Contains(err.Error(), "baseline:nas-40g") {
		t.Error(err)
	}
	if _, err := Load("../go"); err == nil {
		t.Error("a name that leads out of the folder")
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		b, err := files.ReadFile(name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if b, problems := Parse("a.yaml", text); len(problems) == 0 && (b == nil || len(b.Rows) == 0) {
			t.Fatal("neither figures nor problems")
		}
	})
}

// The ceiling of a document's TCP has timestamps where its systems send them.
func TestTimestampsOfDocuments(t *testing.T) {
	for name, want := range map[string]bool{"nas-40g": false, "mesh-10g": false, "roce-100g": false, "eval-25g": true,
		"pairs-ib": true} {
		b, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if sent, why := b.timestamps(); sent != want || !strings.Contains(why, "TCP timestamps") {
			t.Errorf("%s: %v %s", name, sent, why)
		}
	}
}

// Where a document does not say its MTU, the shares of the links' rates are next to each other. Unknown values are not
// promised.
func TestSharesOfLinks(t *testing.T) {
	r := &record.Run{Lab: &record.Lab{Scale: 0.25}}
	r.Plan.Links = append(r.Plan.Links, record.PictureLink{Name: "a-b", Rate: unit.BitRate(10e9)})
	e := &record.Experiment{Method: "throughput", Links: []string{"a-b"}, Ceiling: &record.Chain{}}
	of := func(row *Row) record.Comparison {
		c := record.Comparison{Published: &record.Published{}, Base: record.ComparisonSide{Median: 5e9},
			Why: notSpeed(r, e, row)}
		share(&c, r, &Baseline{}, row, e, record.Estimate{Median: 2e9})
		besides(&c)
		return c
	}
	c := of(&Row{Metric: "goodput", Rate: 10e9})
	if s := c.Published.Shares; s == nil || s.Yours != 0.8 || s.Theirs != 0.5 ||
		!strings.HasSuffix(c.Why, "the shares of the links' rates are compared") {
		t.Errorf("%+v, %q", s, c.Why)
	}
	if c := of(&Row{Metric: "goodput"}); c.Published.Shares != nil || strings.Contains(c.Why, "shares") {
		t.Errorf("no rate is known: %+v", c)
	}
	if differs, _ := conditions(r, &Row{Metric: "goodput", Rate: 10e9, Is: map[string]string{}},
		e); !strings.Contains(strings.Join(differs, ";"), "lab: every rate at 1/4 of the planned one") {
		t.Errorf("%q", differs)
	}
}

// Streams of one repeat share its link: two repeats of four streams are two values, and no interval.
func TestStreamsAreNoRepeats(t *testing.T) {
	e := &record.Experiment{}
	for range 2 {
		e.Repeats = append(e.Repeats, record.Repeat{Goodput: 1})
	}
	got, ok := each(e, func(record.Repeat) []float64 { return []float64{1, 2, 3, 0} })
	if !ok || got.Repeats != 2 || got.Median != 2 || strings.Contains(got.Interval, "95") {
		t.Errorf("%+v, %v", got, ok)
	}
}
