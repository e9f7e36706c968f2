package fabric

import (
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for in, want := range map[string]string{"n": "n", "n[1-3]": "n1 n2 n3", "n[9-11]": "n9 n10 n11",
		"n[08-10]": "n08 n09 n10", "n[1-2].ql.[1-2]": "n1.ql.1 n1.ql.2 n2.ql.1 n2.ql.2", "[1-2]x": "1x 2x",
		"target1.t[1-1].[1-2]": "target1.t1.1 target1.t1.2"} {
		got, err := expand(in)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"n[", "n]", "n[1]", "n[1-]", "n[a-b]", "n[2-1]", "n[1-4097]", "n[1-100][1-100]", "n[1-2",
		"n[[1-2]]", "n[1-99999999999]"} {
		if got, err := expand(in); err == nil {
			t.Errorf("%s: %d names; want an error", in, len(got))
		}
	}
}

// TestStep: ranges of one entry advance together; a shorter one starts again.
func TestStep(t *testing.T) {
	_, wrong := loadText(t, `fabric: t
hosts:
  "n[1-2]": {nics: {c: {part: {kind: nic, ports: 4, speed: 25G}, vfs: 8}}}
  "vm[1-6]": {on: "n[1-2]", nics: {"vf[1-2]": {vf: "n[1-2].c.[1-2]"}}}
  h: {drives: {"lun[1-4]": {}}}
switches: {sw: {part: {kind: switch, ports: 8, speed: 25G}}}
subnets: {"s[1-2]": {range: "10.0.[1-2].0/24"}}
volumes: {"v[1-4]": {of: ["h.lun[1-4]"], at: "n[1-2].c.[3-4]"}}
links:
  - {ends: ["n[1-2].c.[3-4]", "sw.[1-4]"], name: "l[1-4]", subnet: "s[1-2]", addresses: ["10.0.[1-2].[11-14]"]}
`)
	// ranges of an address form one name whose last one varies fastest, so this one does not fit
	if len(wrong) == 0 || !strings.Contains(wrong.Error(), "has 8 names, not 4") {
		t.Fatalf("%v", wrong)
	}
	f, problems := loadText(t, `fabric: t
hosts:
  "n[1-2]": {nics: {c: {part: {kind: nic, ports: 4, speed: 25G}, vfs: 8}}}
  "vm[1-6]": {on: "n[1-2]", nics: {"vf[1-2]": {vf: "n[1-2].c.[1-2]"}}}
  h: {drives: {"lun[1-4]": {}}}
switches: {sw: {part: {kind: switch, ports: 8, speed: 25G}}}
subnets: {s: {range: 10.0.1.0/24}}
volumes: {"v[1-4]": {of: ["h.lun[1-4]"], at: "n[1-2].c.[3-4]"}}
links:
  - {ends: ["n[1-2].c.[3-4]", "sw.[1-4]"], name: "l[1-4]", subnet: s, addresses: ["10.0.1.[11-14]"], cable: {label: "c[1-4]"}}
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	vm := f.Hosts[4] // vm3
	if vm.Name != "vm3" || vm.On != "n1" || vm.NICs[0].VF != "n1.c.1" || vm.NICs[1].VF != "n1.c.2" ||
		f.Hosts[5].NICs[0].VF != "n2.c.1" {
		t.Errorf("%+v %+v", vm, vm.NICs[0])
	}
	l := f.Links[2]
	if l.Name != "l3" || l.Ends[0].String() != "n2.c.3" || l.Ends[1].String() != "sw.3" ||
		l.Addresses[0].String() != "10.0.1.13" ||
		l.Cable.Label != "c3" {
		t.Errorf("%+v", l)
	}
	if v := f.Volumes[3]; !slices.Equal(v.Of, []string{"h.lun4"}) || v.Extra["at"] != "n2.c.4" {
		t.Errorf("%+v", v)
	}
}
