package exam

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

func TestPromise(t *testing.T) {
	good := Tally{Right: 95, Wrong: 2, Unknown: 3, Failed: 2}
	for _, c := range []struct {
		name            string
		faults, healthy Tally
		want            []string // in the sentences, one each
	}{
		{"kept", good, Tally{Right: 18, Unknown: 2}, nil},
		{"without healthy labs", good, Tally{}, nil},
		{"faults too seldom right", Tally{Right: 89, Unknown: 11}, Tally{Right: 20}, []string{"89.0 % of the faults are " +
			"right"}},
		{"healthy labs too seldom right", good, Tally{Right: 17, Unknown: 3}, []string{"85.0 % of the healthy labs are " +
			"right"}},
		{"too often wrong", Tally{Right: 97, Wrong: 3}, Tally{Right: 20}, []string{"3.0 % of the faults are taken"}},
		{"one healthy lab is accused", good, Tally{Right: 199, Wrong: 1}, []string{"1 healthy labs are accused"}},
		{"failed do not count as verdicts, and are few", Tally{Right: 90, Unknown: 10, Failed: 7}, Tally{Right: 20},
			[]string{"7 of 127 trials gave no verdict"}},
		{"nothing was judged", Tally{}, Tally{}, []string{"0 of 0 trials"}},
	} {
		got := Promised.Broken(c.faults, c.healthy)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: %q, want %q", c.name, got[i], c.want[i])
			}
		}
	}
}

func TestCases(t *testing.T) {
	var cases []Case
	for _, x := range []struct {
		name    string
		healthy bool
		mark    Mark
		said    string
	}{{"shaper", false, Right, "local-shaper"}, {"shaper", false, Unknown, "unexplained"}, {"healthy", true, Right,
		"link"}, {"shaper", false, Failed, ""}} {
		cases = Count(cases, x.name, "hand", x.healthy, x.mark, x.said)
	}
	cases = Count(cases, "shaper", "lab", false, Wrong, "link") // of the same name in another group
	if len(cases) != 3 || cases[0].Tally != (Tally{Right: 1, Unknown: 1, Failed: 1}) {
		t.Fatalf("%+v", cases)
	}
	if faults, healthy := Sum(cases); faults != (Tally{1, 1, 1, 1}) || healthy != (Tally{Right: 1}) {
		t.Errorf("faults %+v, healthy %+v", faults, healthy)
	}
	table := Table(cases)
	for _, want := range []string{"hand: shaper          1      0        1       1  local-shaper 1, no verdict 1, " +
		"unexplained 1\n", "all healthy labs      1      0        0       0\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

func TestMachine(t *testing.T) {
	fit := Machine{Cores: 2, Carried: 20e9, Others: 0.02, Steal: 0.01}
	if why := fit.Unfit(); len(why) > 0 || len(fit.Lines()) != 5 || !strings.Contains(fit.Line(), "2 cores") {
		t.Errorf("%q, %q", why, fit.Line())
	}
	for name, c := range map[string]struct {
		change func(*Machine)
		want   string
	}{
		"one core":           {func(m *Machine) { m.Cores = 1 }, "1 core"},
		"other processes":    {func(m *Machine) { m.Others = 0.4 }, "take 40 % of the CPU time before"},
		"others later":       {func(m *Machine) { m.OthersDuring = 0.4 }, "between the trials"},
		"steal":              {func(m *Machine) { m.Steal = 0.2 }, "hypervisor takes 20 %"},
		"steal later":        {func(m *Machine) { m.StealDuring = 0.2 }, "during the exam"},
		"slow":               {func(m *Machine) { m.Carried = 50e6 }, "a lab's link carries 50"},
		"faster than a link": {func(m *Machine) { m.Carried = 400e9 }, "no link is faster"},
	} {
		m := fit
		c.change(&m)
		if why := m.Unfit(); len(why) != 1 || !strings.Contains(why[0], c.want) {
			t.Errorf("%s: %q, want %q", name, why, c.want)
		}
	}
	for carried, want := range map[unit.BitRate][2]unit.BitRate{20e9: {200e6, 100e9}, 3.14e9: {150e6, 100e9},
		250e6: {12e6, 100e9}, 50e9: {200e6, 200e9}, 0: {0, 100e9}} {
		if near := Near(carried); near != want[0] {
			t.Errorf("carries %v: near %v, want %v", carried, near, want[0])
		}
		if fast, ok := Fast(carried); fast != want[1] || !ok {
			t.Errorf("carries %v: fast %v, want %v", carried, fast, want[1])
		}
	}
}
