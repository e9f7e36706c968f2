package report

import (
	"bytes"
	"strings"
	"testing"

	"linerate/internal/record"
)

// appFixture is a run of LAMMPS over two cards at two numbers of processes, and of a command without a figure of its own.
func appFixture() *record.Run {
	n := func(v int64) *int64 { return &v }
	cores := 1.5
	of := func(via, processes string, figures ...float64) *record.Experiment {
		e := &record.Experiment{ID: via + processes, Name: "lammps", Method: "app", From: "n[1-2]", Direction: "out", Settings: map[string]string{"via": via, "processes": processes, "command": "mpirun -n {processes} lmp"},
			InEffect: map[string]string{"command": "mpirun -n " + processes + " lmp"}, FigureUnit: "s", Seconds: &record.Estimate{Median: figures[0] + 1, Repeats: len(figures)},
			App: &record.App{Command: []string{"mpirun"}, Unit: "s", Line: "Loop time of 2.5 on 8 procs", Output: "output/x-1.txt", Hosts: []record.AppHost{
				{Host: "n1", Interface: "c1", Seconds: 2, Cores: &cores, Sent: n(250_000_000), Received: n(1), Errors: n(0), Dropped: n(3)},
				{Host: "n2", Interface: "c2", Seconds: 2, Cores: &cores, Sent: n(750_000_000), Received: n(1), Errors: n(0), Dropped: n(0)}}}}
		low, high := figures[0], figures[0]
		for _, f := range figures {
			low, high = min(low, f), max(high, f)
			e.Repeats = append(e.Repeats, record.Repeat{App: &record.App{Figure: f}})
		}
		e.Figure = &record.Estimate{Median: figures[0], Low: low, High: high, Interval: "range", Repeats: len(figures)}
		return e
	}
	timed := &record.Experiment{Name: "sort", Method: "app", From: "n1", Direction: "out", Settings: map[string]string{}, InEffect: map[string]string{"command": "sort <rows>"}, FigureUnit: "s",
		Figure: &record.Estimate{Median: 4, Repeats: 1}, Seconds: &record.Estimate{Median: 4, Repeats: 1}, App: &record.App{Hosts: []record.AppHost{{Host: "n1"}}}, Repeats: []record.Repeat{{}}}
	return &record.Run{Complete: true, Experiments: []*record.Experiment{of("new", "16", 1.5, 1.4, 1.6), of("new", "8", 2.5, 2.4, 2.6), of("old", "8", 5, 4.9, 5.1), timed}}
}

func TestAppTables(t *testing.T) {
	tables := appTables(appFixture())
	if len(tables) != 2 || tables[0].Title != "lammps on n[1-2]" || tables[1].Title != "sort on n1" {
		t.Fatalf("%+v", tables)
	}
	var rows []string
	for _, r := range tables[0].Rows {
		rows = append(rows, strings.Join(r, " | "))
	}
	want := []string{
		"8 | new | 2.50 s | 2.40 .. 2.60 s, range of 3 | 3.50 s | 3.00 | 2.00 Gb/s sent",
		"8 | old | 5.00 s | 4.90 .. 5.10 s, range of 3 | 6.00 s | 3.00 | 2.00 Gb/s sent",
		"16 | new | 1.50 s | 1.40 .. 1.60 s, range of 3 | 2.50 s | 3.00 | 2.00 Gb/s sent",
	}
	if strings.Join(rows, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	said := strings.Join(tables[0].Said, "\n")
	for _, w := range []string{"command: mpirun -n {processes} lmp", "Loop time of 2.5 on 8 procs", "output/x-1.txt", "n1 c1 counted 3 packets dropped"} {
		if !strings.Contains(said, w) {
			t.Errorf("no %q in\n%s", w, said)
		}
	}
	if row := tables[1].Rows[0]; row[2] != "" || row[3] != notKnown || row[4] != "" || !strings.Contains(tables[1].Said[1], "is the time") {
		t.Errorf("of a command without a figure: %q, %q", row, tables[1].Said)
	}
}

// TestAppShown: terminal and page say the same.
func TestAppShown(t *testing.T) {
	var text, page bytes.Buffer
	r := appFixture()
	if err := (Terminal{Out: &text, Width: 120}).Run(r); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"lammps on n[1-2]", "2.50 s", "5.00 s", "2.00 Gb/s sent"} {
		if !strings.Contains(text.String(), w) || !strings.Contains(page.String(), w) {
			t.Errorf("no %q in the terminal's text\n%s", w, text.String())
		}
	}
	if strings.Contains(page.String(), "sort <rows>") {
		t.Error("what was run stands in the page as it is, and may be HTML")
	}
}

// TestAppCompared: figures of two cards of one run.
func TestAppCompared(t *testing.T) {
	list, err := CompareBy(appFixture(), "via")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Metric != "figure" || list[0].Ratio == nil || *list[0].Ratio < 1.99 || *list[0].Ratio > 2.01 {
		t.Errorf("%+v", list)
	}
}

// TestAppEvents: a repeat of app gives its figure, and no goodput of nothing.
func TestAppEvents(t *testing.T) {
	var out bytes.Buffer
	e := &Events{Out: &out}
	x := appFixture().Experiments[0]
	e.Repeat(x, 1)
	e.Done(x, 1, 3, 0)
	if e.Err != nil || strings.Contains(out.String(), "goodput") || strings.Count(out.String(), `"metric":"figure"`) != 2 || !strings.Contains(out.String(), `"value":1.4`) || !strings.Contains(out.String(), `"value":1.5`) {
		t.Errorf("%v\n%s", e.Err, out.String())
	}
}
