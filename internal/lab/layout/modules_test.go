package layout

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

func TestWithoutModules(t *testing.T) {
	command := func(sets ...string) string { return "build " + strings.Join(sets, ",") }
	ports := []RDMAPort{{"a", "iwarp", false}, {"b", "rocev2", false}, {"c", "iwarp", false}, {"d", "ib", false}}
	n := Node{Name: "n1", RDMA: slices.Clone(ports)}
	notes := n.WithoutModules(func(string) bool { return false }, command, false)
	if !slices.Equal(n.RDMA, []RDMAPort{{"b", "rocev2", false}, {"d", "ib", false}}) ||
		!slices.Equal(n.Missing, []string{"siw"}) {
		t.Errorf("without the module: %+v", n)
	}
	if len(notes) != 1 || notes[0].Subject != "n1" || !strings.Contains(notes[0].Text, "no RDMA on a, c: iWARP") ||
		!strings.Contains(notes[0].Text, "build siw") {
		t.Errorf("notes: %+v", notes)
	}
	n = Node{Name: "n1", RDMA: slices.Clone(ports)}
	if notes := n.WithoutModules(func(set string) bool { return set == "siw" }, command,
		false); len(notes) > 0 || len(n.Missing) > 0 || !slices.Equal(n.RDMA, ports) {
		t.Errorf("with the module: %+v, %+v", n, notes)
	}
	n = Node{Name: "n1", RDMA: slices.Clone(ports[1:2])}
	if notes := n.WithoutModules(func(string) bool { return false }, command, false); len(notes) > 0 ||
		len(n.Missing) > 0 {
		t.Errorf("a host that needs no module has none: %+v, %+v", n, notes)
	}
	notes = n.WithoutModules(func(set string) bool { return set == "siw" }, command, true)
	if !slices.Equal(n.Missing, []string{"smbdirect"}) || !slices.Equal(n.RDMA, ports[1:2]) || len(notes) != 1 ||
		!strings.Contains(notes[0].Text, "no SMB Direct") || !strings.Contains(notes[0].Text, "build smbdirect") {
		t.Errorf("without SMB Direct: %+v, %+v", n, notes)
	}
	n = Node{Name: "n1", RDMA: slices.Clone(ports)}
	if notes := n.WithoutModules(func(string) bool { return false }, command, true); len(notes) != 2 ||
		!slices.Equal(n.Missing, []string{"siw", "smbdirect"}) {
		t.Errorf("without both: %+v, %+v", n, notes)
	}
	n = Node{Name: "n1", RDMA: []RDMAPort{{"a", "ib", false}, {"b", "ib", true}}}
	if notes := n.WithoutModules(func(string) bool { return true }, command, false); len(notes) > 0 || !n.RDMA[1].InPlace {
		t.Errorf("two models of InfiniBand adapter, with the module: %+v, %+v", n, notes)
	}
	notes = n.WithoutModules(func(string) bool { return false }, command, false)
	if len(notes) != 1 || !strings.Contains(notes[0].Text, "on b is soft RoCE as on its other InfiniBand NIC") ||
		!strings.Contains(notes[0].Text, "build siw") || n.RDMA[1].InPlace || len(n.Missing) > 0 {
		t.Errorf("two models of InfiniBand adapter, without the module: %+v, %+v", n, notes)
	}
	n = Node{Name: "n1"}
	if notes := n.WithoutModules(func(string) bool { return true }, command, true); len(notes) > 0 || len(n.Missing) > 0 {
		t.Errorf("with SMB Direct: %+v, %+v", n, notes)
	}
}

func TestSoftRDMA(t *testing.T) {
	for transport, want := range map[string][2]string{
		"iwarp": {"siw", "it is soft iWARP (siw)"}, "rocev2": {"rxe", "it is soft RoCE (rdma_rxe), "}, "rocev1": {"rxe",
			"it is soft RoCE (rdma_rxe), "},
		"ib": {"rxe", "in place of ib"},
	} {
		if s := SoftRDMAOf(RDMAPort{Transport: transport}); s.Kind != want[0] || !strings.Contains(s.Note, want[1]) ||
			len(s.Modules) != 3 {
			t.Errorf("%s: %+v", transport, s)
		}
	}
	if s := SoftRDMAOf(RDMAPort{Transport: "ib", InPlace: true}); s.Kind != "siw" ||
		!strings.Contains(s.Note, "soft iWARP (siw) in place of ib") {
		t.Errorf("a second model: %+v", s)
	}
}

// Two models of InfiniBand adapter are two kinds of soft RDMA; two NICs of one model are not.
func TestSecondModel(t *testing.T) {
	old, young := &catalog.Part{ID: "MT25218"}, &catalog.Part{ID: "MT25408"}
	h := &plan.Host{Decl: &fabric.Host{NICs: []*fabric.NIC{
		{Name: "a", Part: young, RDMA: "ib"},
		{Name: "b", Part: old, RDMA: "ib"},
		{Name: "c", Part: old},
		{Name: "d", Part: old, RDMA: "rocev2"},
	}}}
	for _, name := range []string{"a", "b", "c", "d"} {
		h.Ports = append(h.Ports, &plan.Port{NIC: name, Interface: name, Link: "l"})
	}
	kinds := func() (got []string) {
		for _, q := range RDMAPorts(h) {
			got = append(got, SoftRDMAOf(q).Kind)
		}
		return got
	}
	if got := strings.Join(kinds(), " "); got != "rxe siw rxe" {
		t.Errorf("two models: %s", got)
	}
	h.Decl.NICs[1].Part = young
	if got := strings.Join(kinds(), " "); got != "rxe rxe rxe" {
		t.Errorf("one model: %s", got)
	}
	h.Settings = []plan.Setting{{Kind: plan.SetBond, Interface: "team", Of: []string{"a", "b"}}}
	if got := RDMAPorts(h); len(got) != 2 || got[0].Interface != InterfaceName("team") ||
		got[1].Interface != InterfaceName("d") {
		t.Errorf("a bond of two: %+v", got)
	}
}
