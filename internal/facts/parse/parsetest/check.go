package parsetest

import (
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// CheckCounts checks what holds for any counters and events.
func CheckCounts(t *testing.T, f *facts.Facts) {
	if len(f.Counts) > 1<<16 || len(f.Events) > 1<<16 {
		t.Fatalf("%d counters, %d events", len(f.Counts), len(f.Events))
	}
	for _, e := range f.Events {
		if e.Count < 1 || e.What == "" {
			t.Fatal(e)
		}
	}
	for _, c := range f.Counts {
		if c.What == "" {
			t.Fatal(c)
		}
	}
}

// FuzzRead runs a reader of RDMA's tools and settles the facts: the stored values have to be consistent.
func FuzzRead(f *testing.F, pattern string, read func(*parse.Builder, []string, []byte) error, args ...string) {
	parse := func(text []byte) (*facts.Facts, error) {
		v := &parse.Builder{Facts: &facts.Facts{OS: "linux"}, Reading: pattern}
		err := read(v, args, text)
		v.Finish()
		return v.Facts, err
	}
	Fuzz(f, pattern, parse, func(t *testing.T, v *facts.Facts) {
		for _, d := range v.RDMA {
			for _, p := range d.Ports {
				if d.Name == "" || p.Port < 1 || p.Port > 255 || p.Rate.IsKnown() && p.Rate.Or(0) <= 0 || p.Lanes.Or(1) < 1 ||
					p.ToS.Or(0) > 255 {
					t.Fatalf("%s: %+v", d.Name, p)
				}
			}
		}
		for _, n := range v.NICs {
			for _, c := range []*facts.Classes{n.Asked, n.Effect} {
				if c != nil {
					CheckClasses(t, c)
				}
			}
		}
		for _, c := range v.Counts {
			if c.What == "" || c.Source == "" || strings.Contains(c.Line, "\n") {
				t.Fatalf("%+v", c)
			}
		}
	})
}

func CheckClasses(t *testing.T, c *facts.Classes) {
	pfc, _ := c.PFC()
	for _, k := range pfc {
		if k < 0 || k > 7 {
			t.Fatalf("%+v", c)
		}
	}
	for point, class := range c.DSCP {
		if point < 0 || point > 63 || class < 0 || class > 7 {
			t.Fatalf("%+v", c)
		}
	}
	for class, q := range c.Queues {
		if w := q.Weight.Or(0); class < 0 || class > 7 || w < 0 || w > 100 {
			t.Fatalf("%+v", c)
		}
	}
	for _, size := range c.Buffers {
		if size < 0 {
			t.Fatalf("%+v", c)
		}
	}
}
