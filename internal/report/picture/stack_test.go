package picture

import (
	"strings"
	"testing"

	"linerate/internal/report/reporttest"
	"linerate/internal/report/summary"
	"linerate/internal/testenv"
)

// longest are summaries with the longest texts that hosts and runs have: names of 63 characters, a NIC as its kernel
// calls it, a fix of several commands, a lab at a scale.
func longest(t *testing.T) map[string]*summary.Summary {
	out := map[string]*summary.Summary{}
	for name, run := range reporttest.Fixtures() {
		for _, s := range summary.Of(run()) {
			out[name+" "+s.Title()] = s
		}
	}
	if len(out) < 3 {
		t.Fatalf("the fixtures have %d summaries", len(out))
	}
	names := [2]string{"storage-server-of-the-second-floor-rack-07-unit-12-left-node-01",
		strings.Repeat("verylong", 7) + "host002"}
	for _, lab := range []string{"on one machine, rates at 1/5", "emulated machines, rates at 1/50"} {
		s := slow()
		for i := range s.Ends {
			s.Ends[i] = summary.End{Host: names[i], NIC: "Mellanox Technologies MT27500 Family [ConnectX-3]",
				Slot: "PCIe 3.0 x8"}
		}
		s.Lab, s.Program = lab, "1.12.3-dirty-5f3a01"
		s.Bottleneck = names[0] + " -> " + names[1] + ": CPU, per packet of " + names[0] + " (likely)"
		s.Fix = "build the lab again, and the link's own shaper comes back: linerate lab down, then linerate lab up"
		out["names "+lab] = s
		s = slow()
		s.Lab, s.Fix = lab, "on nas: ip link set dev enp1s0 mtu 9000; on desk: ip link set dev enp65s0 mtu 9000"
		out["lab "+lab] = s
	}
	return out
}

// TestNothingIsCut: a picture has every word of its names, of the bottleneck, of the fix and of what the figures are
// not, each within its room.
func TestNothingIsCut(t *testing.T) {
	f := testenv.Must(loadFonts())(t)
	together := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	for name, s := range longest(t) {
		drawn, err := compose([]*summary.Summary{s}, false, f)
		if err != nil {
			continue // TestNothingToDraw
		}
		all := ""
		for _, x := range drawn.texts {
			all += together(x.words)
			if w := f.width(x.words, x.size, x.bold); w > x.within+0.5 || x.size < smallest {
				t.Errorf("%s: %q is %.0f wide, has %.0f, size %.0f", name, x.words, w, x.within, x.size)
			}
		}
		wanted := []string{s.Ends[0].Host, s.Ends[1].Host, s.Ends[0].NIC, s.Ends[1].NIC, s.Ends[0].Slot, s.Bottleneck,
			s.Fix, s.Lab, s.Program, s.Run, s.Date}
		if s.Bottleneck == "" {
			wanted = append(wanted, s.Verdict)
		}
		if s.Lab != "" {
			wanted = append(wanted, "Not real hardware")
		}
		for _, want := range wanted {
			if !strings.Contains(all, together(clean(want))) {
				t.Errorf("%s: the picture does not have %q", name, want)
			}
		}
	}
}

// TestTooLongFix: half a command is wrong, so a fix that no size of type fits is replaced by the command that prints
// it.
func TestTooLongFix(t *testing.T) {
	f := testenv.Must(loadFonts())(t)
	s := slow()
	s.Fix = strings.Repeat("on nas: ip link set dev enp1s0 mtu 9000; ", 30)
	all := ""
	for _, x := range testenv.Must(compose([]*summary.Summary{s}, false, f))(t).texts {
		all += x.words + " "
	}
	if !strings.Contains(all, "(likely) Fix: too long for a picture; linerate report k3vq prints it ") ||
		strings.Contains(all, "enp1s0") {
		t.Errorf("%s", all)
	}
}
