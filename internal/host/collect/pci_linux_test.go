package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
)

// configSpace returns 256 bytes with the capabilities of power management and PCI Express: the supported packet size is
// 128 x 2^can, the present one 128 x 2^now.
func configSpace(can, now byte) string {
	b := make([]byte, 256)
	b[0x06], b[0x34] = 0x10, 0x40
	b[0x40], b[0x41] = 0x01, 0x60
	b[0x60] = 0x10
	b[0x64], b[0x65], b[0x67] = 0xe0|can, 0x8f, 0x10
	b[0x68], b[0x69] = now<<5|0x10, 0x29
	return string(b)
}

// tree returns a sysfs with an adapter behind a root port, a switch's upstream and downstream port, written to a
// folder.
func tree(t *testing.T, nics ...string) (root string, links []iproute.Link) {
	t.Helper()
	root = t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := "devices/pci0000:00"
	for _, d := range []struct{ address, class, now, width, max, lanes string }{
		{"0000:00:01.0", "0x060400", "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "16"},
		{"0000:01:00.0", "0x060400", "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "4"},
		{"0000:02:00.0", "0x060400", "2.5 GT/s PCIe", "8", "8.0 GT/s PCIe", "8"},
		{"0000:03:00.0", "0x020000", "2.5 GT/s PCIe", "8", "Unknown", "255"},
	} {
		dir += "/" + d.address
		for name, text := range map[string]string{"class": d.class, "current_link_speed": d.now,
			"current_link_width": d.width, "max_link_speed": d.max, "max_link_width": d.lanes, "vendor": "0x15b3",
			"numa_node": "-1"} {
			write(dir+"/"+name, text+"\n")
		}
		write(dir+"/config", configSpace(map[string]byte{"0000:03:00.0": 1, "0000:02:00.0": 2}[d.address], 0))
		if err := os.MkdirAll(filepath.Join(root, "bus/pci/devices"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../../../"+dir, filepath.Join(root, "bus/pci/devices", d.address)); err != nil {
			t.Fatal(err)
		}
	}
	for i, n := range nics {
		write("class/net/"+n+"/ifindex", fmt.Sprintln(i+2))
		write("class/net/"+n+"/address", "02:00:00:00:00:01\n")
		if err := os.Symlink("../../../"+dir, filepath.Join(root, "class/net", n, "device")); err != nil {
			t.Fatal(err)
		}
		links = append(links, iproute.Link{Name: n, Index: i + 2, Address: "02:00:00:00:00:01", Device: "0000:03:00.0"})
	}
	return root, links
}

// The tree of a machine is read back.
func TestPCITreeOfSysfs(t *testing.T) {
	root, links := tree(t, "e1", "e2")
	c := &collector{ctx: context.Background(), head: snapshot.Header{OS: "linux"}}
	c.pciTree(root, links)
	if len(c.files) != 10 || len(c.head.Unknown) > 0 {
		t.Fatalf("%d sources of two ports and four devices: %v %v", len(c.files), c.files, c.head.Unknown)
	}
	a := snapshot.Archive{Comment: c.head.Text(), Files: c.files}
	f, err := read.Parse(a.Bytes())
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	if len(f.PCI) != 4 || f.NIC("e2").PCI != "0000:03:00.0" || f.PCIAt("0000:03:00.0").Above != "0000:02:00.0" ||
		f.PCIAt("0000:00:01.0").Above != "" {
		t.Fatalf("%+v %+v", f.PCI, f.NIC("e2"))
	}
	d := f.PCIAt("0000:03:00.0")
	if _, known := d.MaxSpeed.Get(); known || d.MaxWidth.IsKnown() || d.Speed.Or(0) != 2.5 || d.Width.Or(0) != 8 ||
		d.NUMA.Or(0) != -1 || d.Vendor != "15b3" {
		t.Errorf("%+v", d)
	}
	if up := f.PCIAt("0000:02:00.0"); d.Payload.Or(0) != 128 || d.MaxPayload.Or(0) != 256 ||
		up.MaxPayload.Or(0) != 512 || up.Payload.Or(0) != 128 {
		t.Errorf("packets of %v, can %v; above %v, can %v", d.Payload, d.MaxPayload, up.Payload, up.MaxPayload)
	}
}

// An ordinary user sees the first 64 bytes of a configuration space: the packet size is then unknown, with the reason.
func TestPayloadOfAnOrdinaryUser(t *testing.T) {
	root, links := tree(t, "e1")
	file := filepath.Join(root, "bus/pci/devices/0000:03:00.0/config")
	for text, why := range map[string]string{configSpace(1, 0)[:64]: "only root", "": "cut off",
		strings.Repeat("\x00", 64): "none of PCI Express", strings.Repeat("\xff", 256): "only root"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c := &collector{ctx: context.Background(), head: snapshot.Header{OS: "linux"}}
		c.pciTree(root, links)
		if len(c.head.Unknown) != 1 || !strings.Contains(c.head.Unknown[0].Reason, why) {
			t.Errorf("%d bytes: %v, want %q", len(text), c.head.Unknown, why)
		}
	}
}

// Functions and groups are read back: each function with its device, and the devices that share its group.
func TestFunctionsOfSysfs(t *testing.T) {
	root, links := tree(t, "e1")
	link := func(to, path string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	nic := filepath.Join(root, "devices/pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0")
	vf := filepath.Join(filepath.Dir(nic), "0000:03:00.1")
	if err := os.MkdirAll(vf, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(vf, "class"), []byte("0x020000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	link(vf, "bus/pci/devices/0000:03:00.1")
	link("../0000:03:00.1", strings.TrimPrefix(nic, root)+"/virtfn0")
	for _, d := range []string{nic, vf} {
		link(root+"/kernel/iommu_groups/4", strings.TrimPrefix(d, root)+"/iommu_group")
		link(d, "kernel/iommu_groups/4/devices/"+filepath.Base(d))
	}
	c := &collector{ctx: context.Background(), head: snapshot.Header{OS: "linux"}}
	c.pciTree(root, links)
	c.functions(root, links)
	a := snapshot.Archive{Comment: c.head.Text(), Files: c.files}
	f, err := read.Parse(a.Bytes())
	if err != nil || len(f.Unknown)+len(c.head.Unknown) > 0 {
		t.Fatal(err, f.Unknown, c.head.Unknown)
	}
	if v := f.NIC("e1").VFs; len(v) != 1 || v[0].PCI != "0000:03:00.1" ||
		v[0].PCIProof.Line != "/sys/class/net/e1/device/virtfn0 -> ../0000:03:00.1" {
		t.Errorf("%+v", v)
	}
	if group, others, _ := f.GroupOf("0000:03:00.1"); group != "4" || len(others) != 1 ||
		others[0].Address != "0000:03:00.0" {
		t.Errorf("%s %+v", group, others)
	}
}
