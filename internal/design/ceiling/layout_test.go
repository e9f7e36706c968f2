package ceiling

import (
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
)

// TestLayouts expects hand-calculated values: 8 drives of 500 MB/s and 200 small requests a second.
func TestLayouts(t *testing.T) {
	drive := Ceiling{Rate: 4e9}
	for _, x := range []struct {
		name                string
		drives              int
		read, write         float64 // MB/s
		smallRead, smallOut float64
		accesses            int
	}{
		{"raid0", 8, 4000, 4000, 1600, 1600, 1},
		{"stripe", 8, 4000, 4000, 1600, 1600, 1},
		{"mirror2", 8, 4000, 2000, 1600, 800, 2},
		{"mirror", 8, 4000, 2000, 1600, 800, 2},
		{"raid10", 8, 4000, 2000, 1600, 800, 2},
		{"raid1", 2, 1000, 500, 400, 200, 2},
		{"raid1", 3, 1500, 500, 600, 200, 3},
		{"mirror3", 8, 4000, 1333.333333, 1600, 533.333333, 3},
		{"raid5", 8, 3500, 3500, 1600, 400, 4},
		{"raid6", 8, 3000, 3000, 1600, 266.666667, 6},
		{"RAIDZ1", 8, 3500, 3500, 200, 200, 8},
		{"raidz2", 8, 3000, 3000, 200, 200, 8},
		{"raidz3", 8, 2500, 2500, 200, 200, 8},
	} {
		l := testenv.Must(ParseLayout(x.name, x.drives))(t)
		read, errRead := l.Read(drive)
		write, errWrite := l.Write(drive)
		if errRead != nil || errWrite != nil {
			t.Fatal(errRead, errWrite)
		}
		in, out := l.Requests(200)
		near(t, x.name+" reading", float64(read.Rate)/8e6, x.read, 6)
		near(t, x.name+" writing", float64(write.Rate)/8e6, x.write, 6)
		near(t, x.name+" small reads", in, x.smallRead, 6)
		near(t, x.name+" small writes", out, x.smallOut, 6)
		if l.Accesses() != x.accesses {
			t.Errorf("%s: %d requests to drives for a small write, want %d", x.name, l.Accesses(), x.accesses)
		}
	}
	for name, drives := range map[string]int{"raid5": 2, "raid6": 3, "raid10": 5, "mirror3": 2, "mirror1": 4,
		"raidz4": 8, "raid7": 8, "raid51": 8, "raid0": 0, "": 4, "jbod": 4, "raidz2": 2} {
		if l, err := ParseLayout(name, drives); err == nil {
			t.Errorf("%s of %d passes as %+v", name, drives, l)
		}
	}
	if _, err := (Layout{Drives: 2, Copies: 1}).Read(Ceiling{}); err == nil {
		t.Error("drives of no rate pass")
	}
}

// Three copies on four nodes of 25GbE: 2.25, 2 or 3 times the written bytes cross the network, and a quarter of the
// read ones.
func TestCopiesOverTheNetwork(t *testing.T) {
	network := Ceiling{Rate: 24 * unit.BitRate(1e9)}
	rate := func(c Ceiling, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return float64(c.Rate) / 1e9
	}
	near(t, "spread", rate(Replicated(network, 3, 4)), 10.666667, 6)
	near(t, "member", rate(Copied(network, 3, WriterMember)), 12, 6)
	near(t, "outside", rate(Copied(network, 3, WriterOutside)), 8, 6)
	near(t, "reading", rate(ReadNear(network, 3, 4)), 96, 6)
	near(t, "reading what every node has", rate(ReadNear(network, 4, 4)), 0, 6)
	for name, err := range map[string]error{
		"one copy of a member": func() error { _, err := Copied(network, 1, WriterMember); return err }(),
		"no network":           func() error { _, err := Copied(Ceiling{}, 3, WriterOutside); return err }(),
		"more copies":          func() error { _, err := ReadNear(network, 5, 4); return err }(),
	} {
		if err == nil {
			t.Errorf("%s passes", name)
		}
	}
}
