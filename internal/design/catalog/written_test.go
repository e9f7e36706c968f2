package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestWritten(t *testing.T) {
	for _, x := range []struct {
		w    WrittenPart
		name string
	}{
		{WrittenPart{Kind: "nic", Speed: 40e9, Ports: 2, Cage: "qsfp+", Bus: "pcie3x8"}, "nic 2 x 40G, qsfp+, pcie3x8"},
		{WrittenPart{Kind: "nic"}, "nic with 1 port"},
		{WrittenPart{Kind: "cable", Media: "dac", Ends: []string{"sfp28", "SFP28"}, Length: 3}, "dac 25G, sfp28, 3 m"},
		{WrittenPart{Kind: "cable", Media: "dac", Ends: []string{"cx4", "cx4"}}, "dac, cx4"},
		{WrittenPart{Kind: "cable", Media: "dac", Ends: []string{"qsfp+", "sfp+", "sfp+", "sfp+", "sfp+"}, Speed: 40e9},
			"dac 40G, qsfp+ to 4 x sfp+"},
		{WrittenPart{Kind: "transceiver", Ends: []string{"sfp+"}, Speed: 10e9}, "transceiver 10G, sfp+"},
		{WrittenPart{Kind: "drive", Bus: "pcie3x4"}, "pcie3x4 drive"},
		{WrittenPart{Kind: "drive", Bus: "nvdimm", Capacity: 16e9}, "nvdimm drive, 16.0 GB"},
		{WrittenPart{Kind: "switch", Speed: 25e9, Ports: 48, Cage: "sfp28"}, "switch 48 x 25G, sfp28"},
		{WrittenPart{Kind: "NIC", Name: "the old NIC"}, "the old NIC"},
	} {
		p, err := Written(x.w)
		if err != nil {
			t.Errorf("%+v: %v", x.w, err)
			continue
		}
		if p.Name != x.name || p.ID == "" || p.Confidence != Declared {
			t.Errorf("%+v is called %q (%s), want %q", x.w, p.Name, p.ID, x.name)
		}
		again, _ := Written(x.w)
		if again.ID != p.ID {
			t.Errorf("%+v has the ids %q and %q", x.w, p.ID, again.ID)
		}
	}
	p, _ := Written(WrittenPart{Kind: "cable", Media: "dac", Ends: []string{"sfp28", "sfp+"}})
	if p.Fastest() != 10e9 || p.Cable.Length.IsKnown() {
		t.Errorf("a cable with an SFP+ end: %v, length %v", p.Fastest(), p.Cable.Length)
	}
}

func TestWrittenRefuses(t *testing.T) {
	for _, x := range []struct {
		w      WrittenPart
		fields []string
	}{
		{WrittenPart{}, []string{"kind"}},
		{WrittenPart{Kind: "card"}, []string{"kind"}},
		{WrittenPart{Kind: "nic", Cage: "qsp+", Bus: "pcie3x9"}, []string{"cage", "bus"}},
		{WrittenPart{Kind: "nic", Bus: "sas3x4"}, []string{"bus"}},
		{WrittenPart{Kind: "nic", Ports: -1}, []string{"ports"}},
		{WrittenPart{Kind: "nic", RDMA: []string{"rocev3"}}, []string{"rdma"}},
		{WrittenPart{Kind: "switch"}, []string{"ports"}},
		{WrittenPart{Kind: "switch", Ports: 1 << 30}, []string{"ports"}},
		{WrittenPart{Kind: "cable", Media: "string", Ends: []string{"sfp+"}, Length: -1},
			[]string{"media", "ends", "length"}},
		{WrittenPart{Kind: "cable", Length: 1e9}, []string{"length"}},
		{WrittenPart{Kind: "transceiver", Ends: []string{"sfp+", "sfp+"}}, []string{"ends"}},
		{WrittenPart{Kind: "drive"}, []string{"bus"}},
	} {
		p, err := Written(x.w)
		if p != nil || err == nil {
			t.Errorf("%+v: %v, %v", x.w, p, err)
			continue
		}
		for _, f := range x.fields {
			if !slices.ContainsFunc(unwrap(err), func(e error) bool {
				var fe *FieldError
				return errors.As(e, &fe) && fe.Field == f && fe.Problem != ""
			}) {
				t.Errorf("%+v: %v; want an error at %s", x.w, err, f)
			}
		}
	}
}

func unwrap(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

func TestParseBus(t *testing.T) {
	for in, want := range map[string]Bus{
		"pcie3x8": {"pcie", 3, 8}, "PCIe 4.0 x16": {"pcie", 4, 16}, "sas3x4": {"sas", 3, 4}, "sata3": {"sata", 3, 0},
		"sas":  {"sas", 0, 0},
		"nvme": {"pcie", 0, 0}, "pcie3": {"pcie", 3, 0}, "pcie": {"pcie", 0, 0}, "pciex4": {"pcie", 0, 4},
		"nvdimm": {"nvdimm", 0, 0},
	} {
		if got, err := ParseBus(in); err != nil || got != want {
			t.Errorf("ParseBus(%q) = %+v, %v; want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "pcie3x3", "pcie3x32", "pcie9x4", "sata9", "nvdimm3", "isa", "3x8",
		"pcie3x8 and more"} {
		if got, err := ParseBus(in); err == nil {
			t.Errorf("ParseBus(%q) = %+v; want an error", in, got)
		}
	}
	if b, _ := ParseBus("pcie3"); b.PCIe() != nil {
		t.Error("a PCIe link without a number of lanes")
	}
}

func FuzzParseBus(f *testing.F) {
	for _, s := range []string{"pcie3x8", "PCIe 4.0 x16", "sas3x4", "nvdimm", "sata"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := ParseBus(s)
		if err != nil {
			return
		}
		if again, err := ParseBus(b.String()); err != nil || again != b {
			t.Errorf("%q is %+v, written %q, read again %+v, %v", s, b, b.String(), again, err)
		}
	})
}

func FuzzWritten(f *testing.F) {
	f.Add("cable", "sfp28", "pcie3x8", "dac", "sfp+ sfp28", 2, 3.0)
	f.Add("nic", "qsfp+", "pcie3x8", "", "", 2, 0.0)
	f.Add("drive", "", "nvdimm", "", "", 0, 0.0)
	f.Fuzz(func(t *testing.T, kind, cage, bus, media, ends string, ports int, length float64) {
		p, err := Written(
			WrittenPart{Kind: kind, Cage: cage, Bus: bus, Media: media, Ends: strings.Fields(ends), Ports: ports,
				Length: length},
		)
		if (p == nil) == (err == nil) || p != nil && (p.Name == "" || p.ID == "") {
			t.Errorf("%+v, %v", p, err)
		}
	})
}
