package compare

import (
	"io"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/terminal"
)

func with(e *record.Experiment, name string, settings ...string) *record.Experiment {
	e.Name = name
	for i := 0; i+1 < len(settings); i += 2 {
		e.Settings[settings[i]] = settings[i+1]
	}
	e.ID = name + strings.Join(settings, "")
	return e
}

func runOf(id string, all ...*record.Experiment) *record.Run {
	return &record.Run{ID: id, FabricText: id, Experiments: all}
}

// Experiments are aligned by what they are. Another name, another host's name and other conditions do not prevent it,
// and are reported.
func TestAlignRuns(t *testing.T) {
	for _, c := range []struct {
		name    string
		a, b    *record.Run
		differs string // "-": no pair
		why     string
	}{
		{"conditions", runOf("aaaa", with(reporttest.Measured("", "4", 0, 1, 1, 1), "raw", "mtu", "1500")),
			runOf("bbbb", with(reporttest.Measured("", "4", 9, 1, 1, 1), "raw", "mtu", "9000")), "mtu 1500 to 9000", ""},
		{"another name", runOf("aaaa", with(reporttest.Measured("", "4", 0, 1, 1, 1), "raw", "size", "1KiB")),
			runOf("bbbb", with(reporttest.Measured("", "4", 9, 1, 1, 1), "threads", "size", "1024")), "", ""},
		{"RoCE against iWARP", runOf("aaaa", with(reporttest.Measured("", "4", 0, 1, 1), "r", "transport", "rocev2")),
			runOf("bbbb", with(reporttest.Measured("", "4", 9, 1, 1), "r", "transport", "iwarp")), "transport rocev2 to iwarp",
			""},
		{"TCP against UDP", runOf("aaaa", with(reporttest.Measured("", "4", 0, 1, 1), "r", "transport", "tcp")),
			runOf("bbbb", with(reporttest.Measured("", "4", 9, 1, 1), "r", "transport", "udp")), "-",
			"transport tcp instead of udp; TCP's figure"},
		{"streams", runOf("aaaa", reporttest.Measured("", "4", 0, 1, 1)),
			runOf("bbbb", reporttest.Measured("", "8", 9, 1, 1)), "-", "streams 4 instead of 8"},
		{"several", runOf("aaaa", with(reporttest.Measured("", "4", 0, 1, 1), "r", "mtu", "1500"),
			with(reporttest.Measured("", "4", 0, 1, 1), "r", "mtu", "9000")),
			runOf("bbbb", with(reporttest.Measured("", "4", 9, 1, 1), "r", "mtu", "4000")), "-",
			"2 experiments that are the same thing but for their conditions (mtu 1500, 9000)"},
		{"another method", runOf("aaaa", reporttest.Measured("", "4", 0, 1, 1)),
			runOf("bbbb", func() *record.Experiment {
				e := reporttest.Measured("", "4", 0, 1, 1)
				e.Method = "copy"
				return e
			}()), "-", "no experiment of the method copy"},
		{"a direction", runOf("aaaa", reporttest.Measured("", "4", 0, 1, 1)),
			runOf("bbbb", func() *record.Experiment {
				e := reporttest.Measured("", "4", 0, 1, 1)
				e.Direction = "both"
				return e
			}()), "-", "direction out instead of both"},
	} {
		pairs, refused := alignRuns(c.a, c.b)
		if c.differs == "-" {
			if len(pairs) > 0 || len(refused) == 0 || !strings.Contains(refused[0].Why, c.why) {
				t.Errorf("%s: %d pairs, %+v", c.name, len(pairs), refused)
			}
			continue
		}
		if len(pairs) != 1 || len(refused) > 0 || !strings.Contains(strings.Join(pairs[0].differs, "; "), c.differs) {
			t.Errorf("%s: %+v %+v", c.name, pairs, refused)
		}
	}
	a, b := reporttest.Measured("", "4", 0, 1, 1, 1), reporttest.Measured("", "4", 9, 1, 1, 1)
	b.From, b.To = "pc", "box"
	if pairs, _ := alignRuns(runOf("aaaa", a), runOf("bbbb", b)); len(pairs) != 1 {
		t.Error("two hosts of other names are two hosts")
	}
	b.To = "a" // now one name is the other run's first host, and the ends are the other way round
	if pairs, refused := alignRuns(runOf("aaaa", a), runOf("bbbb", b)); len(pairs) != 0 ||
		!strings.Contains(refused[0].Why, "ends") {
		t.Errorf("%+v %+v", pairs, refused)
	}
}

// Differences come first. A fact that is not known on both sides is not a difference.
func TestRunFacts(t *testing.T) {
	run := func(id, mtu, kernel, slot string, rate float64) *record.Run {
		e := with(reporttest.Measured("", "4", 0, 1, 1, 1), "raw", "mtu", mtu)
		e.InEffect = map[string]string{"congestion": map[string]string{"aaaa": "cubic", "bbbb": "bbr"}[id]}
		r := runOf(id, e)
		r.Hosts = []record.HostState{{Name: "a", Kernel: kernel, OS: "linux"}, {Name: "b", Kernel: kernel, OS: "linux"}}
		r.Plan = record.Picture{Links: []record.PictureLink{{Name: "l", Rate: 10e9}},
			Hosts: []record.PictureHost{{Name: "a", NICs: []record.PictureNIC{{Name: "x", Slot: slot}}}}}
		return r
	}
	x, y := run("aaaa", "1500", "6.1", "pcie2x8", 10e9), run("bbbb", "9000", "6.6", "pcie3x8", 25e9)
	y.Plan.Links[0].Rate = 25e9
	runs := []*record.Run{x, y}
	s := NewSet(runs, Runs(runs))
	got := strings.Join(s.Facts, "\n")
	want := "MTU: 1500 -> 9000\nrate of l: 10.0 Gb/s -> 25.0 Gb/s\nslot of a.x: pcie2x8 -> pcie3x8\nkernel of a, b: " +
		"6.1 -> 6.6\ncongestion: cubic -> bbr"
	if got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	b := reporttest.Written(t, func(w io.Writer) error { return Print((terminal.Terminal{Width: 100, Out: w}), s) })
	if at, table := strings.Index(b, "MTU: 1500"), strings.Index(b, "ratio"); at < 0 || table < at ||
		!strings.Contains(b, "differs: mtu 1500 to 9000") {
		t.Errorf("%s", b)
	}
	if s := NewSet([]*record.Run{x, x}, nil); len(s.Facts) > 0 {
		t.Errorf("a run and itself differ in %q", s.Facts)
	}
}

// A program's figure is compared only with the same figure, and neither is called better.
func TestCompareFigures(t *testing.T) {
	run := func(id, match, name string, v float64) *record.Run {
		e := reporttest.Measured("", "1", 0, 1, 1, 1)
		e.Method, e.FigureMatch, e.FigureUnit, e.Settings = "command", match, name, map[string]string{"command": "lmp"}
		for i := range e.Repeats {
			e.Repeats[i].App = &record.App{Figure: v}
		}
		return runOf(id, e)
	}
	time, rate := run("aaaa", "", "s", 10), run("bbbb", `Performance: (\S+)`, "ns/day", 20)
	if got := Runs([]*record.Run{time, rate}); len(got) > 0 {
		t.Errorf("seconds and ns/day: %+v", got)
	}
	different, ratio := true, 2.
	said := compareSentences([]record.Comparison{
		{Metric: "figure", Other: record.ComparisonSide{Label: "run b"}, Ratio: &ratio, Different: &different},
	})[0]
	if strings.Contains(said, "better") || !strings.Contains(said, "more in 1") {
		t.Error(said)
	}
}

// A substitute protocol has no ratio to the protocol that it replaces.
func TestLabStoragesAreNotDivided(t *testing.T) {
	of := func(protocol, instead string) *record.Experiment {
		e := reporttest.Measured("", "1", 0, 1, 1, 1, 1, 1, 1)
		e.Block = &record.Block{
			Workers: []record.BlockWorker{{Export: &record.BlockExport{Protocol: protocol, Instead: instead}}},
		}
		return e
	}
	for _, k := range []struct {
		a, b *record.Experiment
		why  string
	}{{of("nvme-tcp", "smb"), of("nvme-tcp", "iscsi"), "nvme-tcp was in for smb"},
		{of("iscsi", ""), of("nvme-tcp", "smb"), "nvme-tcp was in for smb"},
		{of("nvme-tcp", "smb"), of("nvme-tcp", "smb"), ""}, {of("iscsi", ""), of("nfs", ""), ""}} {
		for _, c := range Pair(k.a, k.b, "a", "b") {
			if (c.Ratio == nil) != (k.why != "") || !strings.Contains(c.Why, k.why) {
				t.Errorf("%+v", c)
			}
		}
	}
}

// Rates of labs at two scales, and of a lab and real hosts, have no ratio; their shares of the ceiling have one.
func TestUnlikeLabs(t *testing.T) {
	run := func(id string, lab *record.Lab, rate float64, goodput ...float64) *record.Run {
		e := reporttest.Measured("", "1", len(id), 1, goodput...)
		e.Ceiling = reporttest.Chain("a", "b", "link l", rate, lab != nil)
		r := runOf(id, e)
		r.Lab = lab
		return r
	}
	most := float64(reporttest.Chain("a", "b", "link l", 1e9, true).Limit)
	tenth := run("aaaa", &record.Lab{Scale: 0.1}, 1e9, most/2, most/2, most/2, most/2, most/2, most/2)
	whole := run("bbbb", &record.Lab{Scale: 1}, 10e9, most*10, most*10, most*10, most*10, most*10, most*10)
	hosts := run("cccc", nil, 10e9, most*10, most*10, most*10, most*10, most*10, most*10)
	hosts.Hosts = []record.HostState{{Connection: "local"}, {Connection: "ssh nas"}}
	spaces := run("dddd", nil, 10e9, most*10, most*10, most*10, most*10, most*10, most*10)
	spaces.Hosts = []record.HostState{{Connection: "netns a"}, {Connection: "netns b"}}
	for _, c := range []struct {
		a, b *record.Run
		why  string
	}{{tenth, whole, "a lab at 1/10 scale, the other at full scale"}, {tenth, hosts, "the other of real hosts"},
		{hosts, whole, "one is of real hosts, the other of a lab, full scale"},
		{tenth, spaces, "one is of a lab, 1/10 scale, the other of namespaces of one machine"}} {
		all := Runs([]*record.Run{c.a, c.b})
		if len(all) < 3 || all[0].Ratio != nil || all[0].Different != nil || !strings.Contains(all[0].Why, c.why) {
			t.Fatalf("%+v", all)
		}
		want := 1.0
		if c.a == tenth {
			want = 2
		}
		if all[1].Metric != "goodput/ceiling" || !near(all[1].Ratio, want) {
			t.Errorf("%s: share of the ceiling %+v", c.why, all[1])
		}
	}
	if all := Runs([]*record.Run{whole, run("dddd", &record.Lab{Scale: 1}, 10e9, most)}); all[0].Ratio == nil {
		t.Errorf("two labs of one scale: %+v", all[0])
	}
}

// Requests, bytes and work for a percent of CPU time of storage are compared.
func TestCompareBlock(t *testing.T) {
	block := func(iops float64) *record.Experiment {
		e := &record.Experiment{ID: "b", Name: "b", Method: method.Storage, From: "a", Direction: "out",
			Settings: map[string]string{"size": "4KiB"}}
		for range 6 {
			e.Repeats = append(e.Repeats, record.Repeat{
				Block: &record.Block{Read: &record.BlockCount{IOPS: iops, BytesPerSecond: iops * 4096},
					PerPercentAsking: &record.WorkPerPercent{Percent: 10, IOPS: iops / 10}},
			})
		}
		return e
	}
	all := Runs([]*record.Run{runOf("aaaa", block(1000)), runOf("bbbb", block(1660))})
	if len(all) != 3 || all[0].Metric != "iops" || all[1].Metric != "bytes_per_second" || all[2].Metric != "iops/cpu" ||
		!near(all[0].Ratio, 1.66) || !near(all[2].Ratio, 1.66) {
		t.Errorf("%+v", all)
	}
}
