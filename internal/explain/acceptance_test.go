package explain

import (
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// tested returns a link of two NICs of 10 Gb/s that carried 3.2e12 bits in each direction. change alters the facts
// during and after the test.
func tested(change func(during, behind *facts.Facts)) (*record.Experiment, map[string]judge.Shots, *record.Run) {
	say := func(bytes uint64) *facts.Facts {
		return &facts.Facts{
			NICs: []facts.Interface{{Name: "e1", PCI: "0000:41:00.0", Driver: unit.Known("ixgbe"),
				Counters: map[string]uint64{"rx_bytes": bytes, "rx_errors": 7}}},
			Counts: []facts.Count{
				{What: facts.BadFrames, Subject: "e1", Value: 3, Proof: facts.Proof{Source: "ethtool -S e1",
					Line: "rx_crc_errors: 3"}},
				{What: facts.LinkDowns, Subject: "e1", Value: 1, Proof: facts.Proof{Source: "ethtool -S e1",
					Line: "link_downs: 1"}},
				{What: facts.BadFrames, Subject: "e2", Value: 9, Proof: facts.Proof{Source: "ethtool -S e2",
					Line: "rx_crc_errors: 9"}},
			},
			PCI: []facts.PCIDevice{{Address: "0000:41:00.0", Name: "82599ES", Speed: unit.Known(5.0), MaxSpeed: unit.Known(5.0),
				Width: unit.Known(8), MaxWidth: unit.Known(8)}},
		}
	}
	e := &record.Experiment{Method: method.Acceptance, Settings: map[string]string{},
		Repeats: []record.Repeat{{Seconds: 333}},
		Ends:    []record.End{{Host: "a", Interface: "e1"}, {Host: "b", Interface: "e1"}}}
	shots := map[string]judge.Shots{}
	for _, h := range []string{"a", "b"} {
		s := judge.Shots{Before: say(1000), During: []*facts.Facts{say(2e11)}, After: say(1000 + 4e11)}
		if h == "b" && change != nil {
			change(s.During[0], s.After)
		}
		shots[h] = s
	}
	return e, shots, &record.Run{}
}

func TestAcceptance(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		change func(during, behind *facts.Facts)
		want   *bool
		says   string
	}{
		"sound": {nil, &yes, ""},
		"one damaged frame": {func(_, f *facts.Facts) { f.Counts[0].Value = 4; f.Counts[0].Line = "rx_crc_errors: 4" },
			&no, "a -> b: 1 frame damaged in 3.2e12 bits: up to 1.5e-12 of all bits are wrong"},
		"of another port": {func(_,
			f *facts.Facts) {
			f.Counts[2].Value = 900
			f.Counts[2].Line = "rx_crc_errors: 900"
		}, &yes, ""},
		"too short": {func(_, f *facts.Facts) { f.NICs[0].Counters["rx_bytes"] = 1000 + 1e9 }, nil,
			"no error in 8.0e9 bits shows only a rate below 3.7e-10"},
		"the link was lost": {func(_, f *facts.Facts) { f.Counts[1].Value = 3; f.Counts[1].Line = "link_downs: 3" }, &no,
			"b: e1: the link was lost: 2 times (link_downs: 3)"},
		"virtual": {func(_, f *facts.Facts) { f.NICs[0].Driver = unit.Known("virtio_net") }, nil,
			"virtual NIC (virtio_net)"},
		"made of software": {func(_, f *facts.Facts) { f.NICs[0].Kind = "veth" }, nil, "which has no line"},
		"no card": {func(_, f *facts.Facts) { f.NICs[0].Driver, f.NICs[0].PCI = unit.Unknown[string](""), "" },
			nil, "whether it is a NIC with a line is not"},
		"counted by rx_errors": {func(_, f *facts.Facts) { f.Counts = f.Counts[2:] }, &yes, ""},
		"no counter of damage": {func(_, f *facts.Facts) { f.Counts = nil; delete(f.NICs[0].Counters, "rx_errors") }, nil,
			"counts no damaged frames"},
		"counters were cleared": {func(_, f *facts.Facts) { f.NICs[0].Counters["rx_bytes"] = 5 }, nil,
			"were not counted throughout"},
		"the interface is gone": {func(_, f *facts.Facts) { f.NICs = nil }, nil, "e1 is not in what b said"},
		"the bus came down": {func(_, f *facts.Facts) { f.PCI[0].Width = unit.Known(4) }, &no,
			"PCI Express came down from PCIe 2.0 x8 (5 GT/s) under load to PCIe 2.0 x4 (5 GT/s) behind"},
		"the bus was not read": {func(f, _ *facts.Facts) { f.PCI = nil }, nil, "what PCI Express runs at under load was " +
			"not read"},
		"too hot under load": {func(f, _ *facts.Facts) {
			f.Temperatures = []facts.Temperature{{Device: "e1", Sensor: "temp1", Now: 106, High: unit.Known(105.0)}}
		}, &no, "temperature of the NIC (temp1) reached 106 degrees, its own limit is 105"},
		"another NIC is hot": {func(f, _ *facts.Facts) {
			f.Temperatures = []facts.Temperature{{Device: "nvme", Now: 106, High: unit.Known(80.0)}}
		}, &yes, ""},
		"hot module": {func(_, f *facts.Facts) {
			f.NICs[0].Wire.Optic = &facts.Optic{Temperature: unit.Known(81.0),
				Limits: map[string]facts.Limits{"temperature": {HighWarning: unit.Known(75.0)}}}
		}, &no, "temperature of the module reached 81 degrees, its own limit is 75"},
		"hot, but within limits": {func(f, _ *facts.Facts) {
			f.Temperatures = []facts.Temperature{{Device: "e1", Now: 95, High: unit.Known(105.0)}}
		}, &yes, ""},
	} {
		a := acceptance(tested(c.change))
		said := strings.Join(append(a.Against, a.Unknown...), "\n")
		if (a.Passed == nil) != (c.want == nil) || a.Passed != nil && *a.Passed != *c.want ||
			!strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s: passed %v, says %q; want %v with %q", name, a.Passed, said, c.want, c.says)
		}
	}
}

// A finding on a host counts against a NIC only where it is about its port.
func TestAcceptanceAndFindings(t *testing.T) {
	for subject, passed := range map[string]bool{"a: e1": false, "a: e9, e1": false, "a: e9": true, "c: e1": true,
		"a": true} {
		e, shots, r := tested(nil)
		r.Findings = []record.Finding{{ID: "pcie-degraded", Severity: record.Error, Subject: record.ReadSubject(subject),
			Have: "x4", Want: "x8"},
			{ID: "x", Severity: record.Warning, Subject: record.PartsOf("a", "e1")}}
		if a := acceptance(e, shots, r); a.Passed == nil || *a.Passed != passed {
			t.Errorf("%s: %+v", subject, a)
		}
	}
	e, shots, r := tested(nil)
	delete(shots, "b")
	if a := acceptance(e, shots, r); a.Passed != nil || len(a.Ways) != 1 {
		t.Errorf("an end without snapshots: %+v", a)
	}
}

// A loop is of one NIC where both ports have the same place on the bus, and only if it was measured as a loop.
func TestLooped(t *testing.T) {
	for want, c := range map[string]struct{ connection, bus string }{
		record.LoopOfNIC: {"loop e1", "0000:41:00.1"}, record.LoopOfMachine: {"loop e1", "0000:42:00.0"},
		"": {"ssh a", "0000:41:00.1"},
	} {
		e, shots, r := tested(func(_, behind *facts.Facts) { behind.NICs[0].PCI = c.bus })
		r.Hosts = []record.HostState{{Name: "a", Connection: c.connection}, {Name: "b", Connection: "loop e1"}}
		if a := acceptance(e, shots, r); a.Loop != want {
			t.Errorf("%+v: %q, want %q", c, a.Loop, want)
		}
	}
}
