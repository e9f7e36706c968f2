package read

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
)

func TestRDMADevice(t *testing.T) {
	f := load(t, "rdma.others.txtar")
	if d := f.RDMADevice("mlx5_10"); d == nil || d.Name != "mlx5_10" {
		t.Errorf("%+v", d)
	}
	if f.RDMADevice("mlx5_3") != nil || f.Module("nfsd") != nil || f.Module("vsock") == nil {
		t.Error("what is not there is found")
	}
}

func TestParseModules(t *testing.T) {
	for text, want := range map[string]facts.Module{
		"a 10 - - Live 0x0 (OE)\n": {Name: "a", Size: 10,
			Users: unit.Unknown[int]("this kernel unloads no modules and does not count their users"),
			State: unit.Known("Live"), Taints: "OE"},
		"b 10 1 [permanent], Live 0x0\n": {Name: "b", Size: 10, Users: unit.Known(1), State: unit.Known("Live")},
		"c 10 -1 - Unloading 0x0\n": {Name: "c", Size: 10,
			Users: unit.Unknown[int](`the kernel says "-1"`), State: unit.Known("Unloading")},
		"Module                  Size  Used by\nd 8 2\n": {Name: "d", Size: 8, Users: unit.Known(2)},
	} {
		list, err := linux.ParseModules([]byte(text))
		if err != nil || len(list) != 1 {
			t.Errorf("%q: %+v, %v", text, list, err)
			continue
		}
		m := list[0]
		if m.Name != want.Name || m.Size != want.Size || m.Users != want.Users || m.State != want.State ||
			m.Taints != want.Taints || m.UsedBy != nil || m.Version.IsKnown() {
			t.Errorf("%q: %+v, want %+v", text, m, want)
		}
	}
	if list, err := linux.ParseModules(nil); err != nil || list == nil || len(list) != 0 {
		t.Errorf("no module is loaded: %v, %v", list, err)
	}
	if list, err := linux.ParseModules([]byte("a 1 2\nb many\n")); err == nil || len(list) != 1 {
		t.Errorf("a damaged line: %v, %v", list, err)
	}
	if list, err := linux.ParseModules([]byte("bash: no such\n")); err == nil {
		t.Errorf("a tool's error: %v", list)
	}
}

// TestRDMAUnknown: the reason why a fact of a device is unknown is stored with it.
func TestRDMAUnknown(t *testing.T) {
	f, err := Parse([]byte("schema " + snapshot.Schema + `
os linux
unknown proc/modules: it is not there
unknown sys/class/infiniband/rxe0/fw_ver: it is not there
unknown sys/class/infiniband/rxe0/ports/1/rate: invalid argument
unknown sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/1: no such device
unknown ibv_devinfo: the program is not here
-- ls /sys/class/infiniband --
rxe0
-- grep -r . /sys/class/infiniband/rxe0 --
/sys/class/infiniband/rxe0/ports/1/gids/1:0000:0000:0000:0000:0000:ffff:0a00:0201
/sys/class/infiniband/rxe0/ports/1/gids/2:10.0.2.1
/sys/class/infiniband/rxe0/ports/1/gids/70000:fe80::1
/sys/class/infiniband/rxe0/ports/256/state:4: ACTIVE
/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts:many
`))
	if err != nil {
		t.Fatal(err)
	}
	d := f.RDMADevice("rxe0")
	if f.Modules != nil || d == nil || len(d.Ports) != 1 || len(d.Ports[0].GIDs) != 1 {
		t.Fatalf("%+v", f)
	}
	p := d.Ports[0]
	for what, why := range map[string]string{"firmware " + d.Firmware.Why(): "it is not there",
		"rate " + p.Rate.Why():                   "invalid argument",
		"interface " + p.GIDs[0].Interface.Why(): "no such device", "MTU " + p.ActiveMTU.Why(): "the program is not here"} {
		if !strings.Contains(what, why) {
			t.Errorf("%s; want %s", what, why)
		}
	}
	wrong := 0
	for _, u := range f.Unknown {
		if strings.Contains(u.Reason, "is not a") {
			wrong++
		}
	}
	if wrong != 4 {
		t.Errorf("want a reason for each of the four lines that are wrong: %v", f.Unknown)
	}
	none, err := Parse([]byte("os linux\n-- ls /sys/class/infiniband --\n"))
	if err != nil || none.RDMA == nil || len(none.RDMA) != 0 {
		t.Errorf("no device is known, too: %+v, %v", none, err)
	}
}
