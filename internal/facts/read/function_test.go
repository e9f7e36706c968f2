package read

import (
	"slices"
	"testing"

	"linerate/internal/facts"
)

// TestFunctions uses the functions and groups of a guest under QEMU whose root port has no access control; its adapter
// is a drive, and the interface is artificial.
func TestFunctions(t *testing.T) {
	f := load(t, "functions.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	e1 := f.NIC("e1")
	if e1 == nil || len(e1.VFs) != 2 || e1.VFs[1].PCI != "0000:01:00.2" || e1.VFs[1].Index != 1 ||
		e1.VFs[0].Line != "" || e1.VFs[0].PCIProof.Source == "" {
		t.Fatalf("%+v", e1)
	}
	addresses := func(list []facts.GroupMember) (out []string) {
		for _, m := range list {
			out = append(out, m.Address)
		}
		return out
	}
	for _, c := range []struct {
		address, group string
		others         []string
	}{
		{"0000:01:00.1", "1", []string{"0000:01:00.0", "0000:01:00.2"}}, // the root port is a bridge
		{"0000:00:00.0", "0", nil},
		{"0000:00:1f.2", "2", []string{"0000:00:1f.3"}},
		{"0000:07:00.0", "", nil},
		{"", "", nil},
	} {
		group, others, unsure := f.GroupOf(c.address)
		if group != c.group || !slices.Equal(addresses(others), c.others) || len(unsure) != 0 {
			t.Errorf("%s: group %q with %v, unsure %v", c.address, group, addresses(others), unsure)
		}
	}
	of, index, ok := f.FunctionOf(&facts.Interface{Name: "e1v1", PCI: "0000:01:00.2"})
	if !ok || of.Name != "e1" || index != 1 {
		t.Errorf("%v %d %v", of, index, ok)
	}
	if _, _, ok := f.FunctionOf(e1); ok {
		t.Error("the adapter itself is not a function")
	}
}

// TestFunctionsByHand: without classes a group's devices may be bridges, unless lspci of the same snapshot has them.
// The interface's settings and the devices of functions come in either order.
func TestFunctionsByHand(t *testing.T) {
	const groups = "/sys/kernel/iommu_groups/7/devices/0000:01:00.1\n/sys/kernel/iommu_groups/7/devices/0000:00:01.0\n" +
		"/sys/kernel/iommu_groups/7/devices/0000:00:02.0\n"
	const links = "lrwxrwxrwx 1 root root 0 Nov 22 17:22 /sys/class/net/e1/device/virtfn3 -> ../0000:01:00.1\n"
	const set = `[{"ifindex":2,"ifname":"e1","flags":[],"mtu":1500,"vfinfo_list":[{"vf":3,"address":"6e:cc:c3:fe:ad:7f","vlan_list":[{"vlan":9}]}]}]` + "\n"
	for _, text := range []string{
		"host h\nos linux\n-- find /sys/kernel/iommu_groups -type l --\n" + groups + "-- ls -ld " +
			"/sys/class/net/e1/device/virtfn3 --\n" + links + "-- ip -j -d link --\n" + set,
		"host h\nos linux\n-- ip -j -d link --\n" + set + "-- ls -ld /sys/class/net/e1/device/virtfn3 --\n" + links +
			"-- find /sys/kernel/iommu_groups -type l --\n" + groups,
	} {
		f, err := Parse([]byte(text + "-- grep -r . /sys/bus/pci/devices/0000:00:01.0 " +
			"--\n/sys/bus/pci/devices/0000:00:01.0/class:0x060400\n"))
		if err != nil || len(f.Unknown) > 0 {
			t.Fatal(err, f.Unknown)
		}
		if v := f.NIC("e1").VFs; len(v) != 1 || v[0].VLAN != 9 || v[0].PCI != "0000:01:00.1" || v[0].Line == "" {
			t.Errorf("%+v", v)
		}
		group, others, unsure := f.GroupOf("0000:01:00.1")
		if group != "7" || len(others) != 0 || len(unsure) != 1 || unsure[0].Address != "0000:00:02.0" ||
			f.IOMMU.Or(0) != 1 {
			t.Errorf("%s %v %v", group, others, unsure)
		}
	}
	for name, text := range map[string]string{"groups.txt": groups, "vf.txt": links} {
		kept, notRead := FromKept("h", map[string][]byte{name: []byte(text)}, []string{name})
		f, err := Parse(kept)
		if err != nil || len(notRead)+len(f.Unknown) > 0 || len(f.GroupMembers)+len(f.NICs) == 0 {
			t.Errorf("%s: %v %v %v", name, err, notRead, f.Unknown)
		}
	}
}
