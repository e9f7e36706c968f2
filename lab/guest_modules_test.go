package lab

import (
	"slices"
	"strings"
	"testing"
)

func TestWithoutModules(t *testing.T) {
	command := func(sets ...string) string { return "build " + strings.Join(sets, ",") }
	ports := []rdmaPort{{"a", "iwarp"}, {"b", "rocev2"}, {"c", "iwarp"}, {"d", "ib"}}
	n := node{Name: "n1", RDMA: slices.Clone(ports)}
	notes := n.withoutModules(func(string) bool { return false }, command, false)
	if !slices.Equal(n.RDMA, []rdmaPort{{"b", "rocev2"}, {"d", "ib"}}) || !slices.Equal(n.Lacks, []string{"siw"}) {
		t.Errorf("without the module: %+v", n)
	}
	if len(notes) != 1 || notes[0].Subject != "n1" || !strings.Contains(notes[0].Text, "no RDMA on a, c: iWARP") || !strings.Contains(notes[0].Text, "build siw") {
		t.Errorf("notes: %+v", notes)
	}
	n = node{Name: "n1", RDMA: slices.Clone(ports)}
	if notes := n.withoutModules(func(set string) bool { return set == "siw" }, command, false); len(notes) > 0 || len(n.Lacks) > 0 || !slices.Equal(n.RDMA, ports) {
		t.Errorf("with the module: %+v, %+v", n, notes)
	}
	n = node{Name: "n1", RDMA: slices.Clone(ports[1:2])}
	if notes := n.withoutModules(func(string) bool { return false }, command, false); len(notes) > 0 || len(n.Lacks) > 0 {
		t.Errorf("a host that needs no module lacks one: %+v, %+v", n, notes)
	}
	notes = n.withoutModules(func(set string) bool { return set == "siw" }, command, true)
	if !slices.Equal(n.Lacks, []string{"smbdirect"}) || !slices.Equal(n.RDMA, ports[1:2]) || len(notes) != 1 || !strings.Contains(notes[0].Text, "no SMB Direct") || !strings.Contains(notes[0].Text, "build smbdirect") {
		t.Errorf("without SMB Direct: %+v, %+v", n, notes)
	}
	n = node{Name: "n1", RDMA: slices.Clone(ports)}
	if notes := n.withoutModules(func(string) bool { return false }, command, true); len(notes) != 2 || !slices.Equal(n.Lacks, []string{"siw", "smbdirect"}) {
		t.Errorf("without both: %+v, %+v", n, notes)
	}
	n = node{Name: "n1"}
	if notes := n.withoutModules(func(string) bool { return true }, command, true); len(notes) > 0 || len(n.Lacks) > 0 {
		t.Errorf("with SMB Direct: %+v, %+v", n, notes)
	}
}

func TestSoftRDMA(t *testing.T) {
	for transport, want := range map[string][2]string{
		"iwarp": {"siw", "it is soft iWARP (siw)"}, "rocev2": {"rxe", "it is soft RoCE (rdma_rxe), "}, "rocev1": {"rxe", "it is soft RoCE (rdma_rxe), "},
		"ib": {"rxe", "in place of ib"},
	} {
		if s := softRDMAOf(transport); s.kind != want[0] || !strings.Contains(s.note, want[1]) || len(s.modules) != 3 {
			t.Errorf("%s: %+v", transport, s)
		}
	}
}

func TestLacking(t *testing.T) {
	i := Info{Guests: []Guest{{Host: "a", Lacks: []string{"siw"}}, {Host: "b"}, {Host: "c", Lacks: []string{"siw"}}}}
	hosts, sets := i.Lacking()
	if !slices.Equal(hosts, []string{"a", "c"}) || !slices.Equal(sets, []string{"siw"}) {
		t.Errorf("%v, %v", hosts, sets)
	}
}
