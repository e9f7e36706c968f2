package report

import (
	"strings"
	"testing"
	"time"

	"linerate/internal/record"
)

// The text has the strongest findings without what charts and tables have, and none where the data carry none.
func TestKeyText(t *testing.T) {
	got := printed(t, keyRun(8), Terminal{Width: 80})
	for _, want := range []string{"key findings\n", "  - The fabric as written achieved 1.6"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	_, after, _ := strings.Cut(got, "key findings\n")
	block, _, _ := strings.Cut(after, "\n\n")
	if n := strings.Count("\n"+block, "\n  - "); n == 0 || n > keysInText {
		t.Errorf("%d findings:\n%s", n, block)
	}
	if flat := strings.Join(strings.Fields(block), " "); strings.Contains(flat, ", measured in turns") || strings.Contains(flat, "IOPS against") || !strings.Contains(flat, "(95 % interval") {
		t.Errorf("%s", flat)
	}
	if got := printed(t, keyRun(2), Terminal{Width: 80}); strings.Contains(got, "key findings") {
		t.Errorf("two repeats carry none:\n%s", got)
	}
}

func TestTookText(t *testing.T) {
	for d, want := range map[time.Duration]string{300 * time.Millisecond: "1 s", 42 * time.Second: "42 s", 85 * time.Second: "1 min 25 s", 120 * time.Second: "2 min", 3*time.Hour + 119*time.Second: "3 h 1 min"} {
		if got := tookText(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// Nobody copies a remark with a command.
func TestNextRemark(t *testing.T) {
	c := cause{Verdict: &record.Verdict{NextExperiment: "linerate run x.yaml --only y   (again, on a quiet machine)"}}
	if got := c.Next(); len(got) != 1 || got[0] != (step{"To find out more, again, on a quiet machine", "linerate run x.yaml --only y", true}) {
		t.Errorf("%+v", got)
	}
}

// A long name of a line has the room that it needs.
func TestAbreast(t *testing.T) {
	p := sweepPanel{systems: []system{{name: "the fabric as written"}, {name: "variant ten"}}}
	if p.abreast() != 2 || (sweepPanel{systems: []system{{name: "1 stream"}}}).abreast() != 3 {
		t.Error("names of lines")
	}
}

// What is as planned is folded where it is much, and what differs never is; so is what nobody asked for.
func TestSettingsFolded(t *testing.T) {
	all := []settingView{{Of: "a", Key: "mtu", Want: "9000", Have: "1500", Differs: true}}
	for range fewAsPlanned {
		all = append(all, settingView{Of: "a", Key: "x", Want: "1", Have: "1"})
	}
	if others, same := asPlanned(all); len(others) != len(all) || same != nil {
		t.Error("few are folded")
	}
	if others, same := asPlanned(append(all, all[1])); len(others) != 1 || !others[0].Differs || len(same) != fewAsPlanned+1 {
		t.Errorf("%v, %v", others, same)
	}
	var free []settingView
	for range fewUnasked {
		free = append(free, settingView{Want: notAsked, Have: "1"})
	}
	if yes, no := asked(append(free, all[0])); len(yes) != fewUnasked+1 || no != nil {
		t.Error("few are folded")
	}
	if yes, no := asked(append(free, free[0], all[0])); len(yes) != 1 || len(no) != fewUnasked+1 {
		t.Errorf("%v, %v", yes, no)
	}
}

// A figure of 0 has no place on a logarithmic axis: the line breaks there, and does not fall to its foot.
func TestZeroBreaksTheLine(t *testing.T) {
	s := &sweep{Key: "size", xs: []string{"1B", "2B", "4B"}, decades: true}
	y := system{name: "a", cells: map[string]cell{}}
	of := map[string]float64{"1B": 5, "2B": 0, "4B": 7}
	for _, x := range s.xs {
		y.cells[x] = cell{E: &record.Experiment{ID: x}}
	}
	chart := string(s.figures(sweepPanel{systems: []system{y}}, "t", "d", func(c cell) (float64, float64, float64, []float64, bool) {
		v := of[c.E.ID]
		return v, v, v, nil, true
	}, func(string) float64 { return 0 }, func(float64) string { return "x" }, func(v, _ float64) string { return "" }))
	if strings.Count(chart, `class="marker`) != 3 { // two figures, and one beside the name
		t.Error(chart)
	}
}

// The numbers of hosts' names make no range: n1 and n2 are two.
func TestWarningsOfNumberedHosts(t *testing.T) {
	r := &record.Run{Warnings: []string{"n1: 2 tenths were left out", "n2: 3 tenths were left out", "n2: 5 tenths were left out"}}
	got := strings.Join(warnings(r), "; ")
	if got != "n1: 2 tenths were left out; n2: 3 .. 5 tenths were left out" {
		t.Error(got)
	}
}

// Of storage the words speak of requests, and not of connections.
func TestPlainFewRequests(t *testing.T) {
	for sentence, want := range map[string]string{"a -> b is held back by too few requests at once": "Little is asked", "one connection carries 9 Gb/s": "A single connection"} {
		if got := (cause{Verdict: &record.Verdict{Limiter: "one-connection", Sentence: sentence}}).Plain(); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", sentence, got)
		}
	}
}
