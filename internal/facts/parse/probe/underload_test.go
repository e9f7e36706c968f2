package probe

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// TestUnderLoad: readings under load follow a snapshot and are read back; the fastest one counts, because it shows what
// the link can do.
func TestUnderLoad(t *testing.T) {
	f := &facts.Facts{NICs: []facts.Interface{{Name: "e1", PCI: "0000:41:00.0"}},
		PCI: []facts.PCIDevice{{Address: "0000:41:00.0", Above: "0000:40:01.0"},
			{Address: "0000:40:01.0", Above: "0000:3f:00.0"}, {Address: "0000:3f:00.0"}}}
	during := func(speed float64) *facts.Facts {
		return &facts.Facts{PCI: []facts.PCIDevice{{Address: "0000:41:00.0", Speed: unit.Known(speed), Width: unit.Known(8)}}}
	}
	var text []byte
	for _, speed := range []float64{2.5, 16, 5} {
		text = append(text, UnderLoad(f, during(speed), "e1", "4 streams of TCP both ways with b:\n9 Gb/s")...)
	}
	for _, want := range []string{"-- probe pcie 0000:41:00.0 --\nlink 16 GT/s x8, under 4 streams of TCP both ways " +
		"with b: 9 Gb/s\n", "-- probe pcie 0000:40:01.0 --\nnot known: the host did not say it under load"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	got := &facts.Facts{}
	for _, line := range []string{"link 2.5 GT/s x8, under a", "link 16 GT/s x8, under 4 streams: 9 Gb/s",
		"link 5 GT/s x8, under b"} {
		if err := readUnderLoad(parse.NewBuilder(got), []string{"0000:41:00.0"}, []byte(line+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	b, ok := got.Probes.UnderLoad("0000:41:00.0")
	if !ok || b.Link != (facts.PCIeLink{Speed: 16, Width: 8}) || b.Load != "4 streams: 9 Gb/s" ||
		!strings.HasPrefix(b.Line, "link 16 GT/s x8") {
		t.Errorf("%+v %v", b, ok)
	}
	if _, ok := got.Probes.UnderLoad("0000:40:01.0"); ok {
		t.Error("a link that was not read")
	}
	for _, bad := range []string{"", "link", "link 8 GT/s x8", "link NaN GT/s x8, under a", "link 8 GT/s x0, under a",
		"link 8 Gb/s x8, under a", "not known: no other host"} {
		if err := readUnderLoad(parse.NewBuilder(new(facts.Facts)), []string{"0000:41:00.0"}, []byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	TakeUnderLoad(f, during(8), "e1", "stream")
	if b, ok := f.Probes.UnderLoad("0000:41:00.0"); !ok || b.Link != (facts.PCIeLink{Speed: 8, Width: 8}) ||
		b.Source != "probe pcie 0000:41:00.0" {
		t.Errorf("%+v %v", b, ok)
	}
}
