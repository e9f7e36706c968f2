package facts

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

// Devices of other machines, as grep and ibv_devinfo print them.
func TestParseRDMA(t *testing.T) {
	f := load(t, "rdma.others.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	var names []string
	for _, d := range f.RDMA {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "hfi1_0 mlx5_2 mlx5_10 rxe0" {
		t.Fatalf("devices: %s", got)
	}
	ib := f.RDMADevice("mlx5_10")
	if ib.NodeType.Or("") != "CA" || ib.Firmware.Or("") != "28.41.1000" || ib.Model.Or("") != "MT4129" || ib.Board.Or("") != "MT_0000000838" || len(ib.Ports) != 1 {
		t.Fatalf("mlx5_10: %+v", ib)
	}
	p := ib.Ports[0]
	if p.Port != 1 || p.State.Or("") != "ACTIVE" || p.PhysState.Or("") != "LinkUp" || p.LinkLayer.Or("") != "InfiniBand" || p.Rate.Or(0) != 400e9 || p.Width.Or("") != "4X NDR" {
		t.Errorf("its port: %+v", p)
	}
	if p.Counters["port_rcv_data"] != 230539874932483 || len(p.HWCounters) != 1 || p.HWCounters["roce_adp_retrans"] != 3 {
		t.Errorf("its counters: %v, %v; lifespan is none", p.Counters, p.HWCounters)
	}
	if len(p.GIDs) != 1 || p.GIDs[0].GID.String() != "fe80::58a2:e103:2a:9b8" || p.GIDs[0].Type.Or("") != "IB/RoCE v1" || p.GIDs[0].Interface.IsKnown() || !strings.Contains(p.GIDs[0].Interface.Why(), "no network interface") {
		t.Errorf("its GIDs: %+v", p.GIDs)
	}
	if p.ActiveMTU.IsKnown() || !strings.Contains(p.ActiveMTU.Why(), "ibv_devinfo does") {
		t.Errorf("active MTU %v: %s", p.ActiveMTU, p.ActiveMTU.Why())
	}
	roce := f.RDMADevice("mlx5_2")
	if len(roce.Ports) != 2 || len(roce.Ports[0].GIDs) != 3 || roce.Ports[1].GIDs != nil {
		t.Fatalf("mlx5_2: %+v", roce)
	}
	for i, want := range []GID{{Index: 2, Type: known("IB/RoCE v1")}, {Index: 3, Type: known("RoCE v2")}, {Index: 11, Type: known("RoCE v2")}} {
		g := roce.Ports[0].GIDs[i]
		if g.Index != want.Index || g.Type != want.Type || g.Interface.Or("") != "eth01" || (g.GID.Unmap().String() == "10.108.164.36") != (i < 2) {
			t.Errorf("GID %+v, want %+v", g, want)
		}
	}
	if down := roce.Ports[1]; down.State.Or("") != "DOWN" || down.Rate.IsKnown() || !strings.Contains(down.Rate.Why(), "the link may be down") || down.LinkLayer.IsKnown() {
		t.Errorf("the port that is down: %+v", down)
	}
	if opa := f.RDMADevice("hfi1_0").Ports[0]; opa.Rate.Or(0) != 100e9 || len(opa.Counters) != 1 {
		t.Errorf("hfi1_0: %+v", opa)
	}
	if soft := f.RDMADevice("rxe0"); soft.Firmware.Or("") != "0.0.0" || soft.Ports[0].State.Or("") != "ACTIVE" || soft.Ports[0].ActiveMTU.Or(0) != 1024 || soft.Ports[0].MaxMTU.Or(0) != 4096 || soft.Ports[0].LinkLayer.IsKnown() {
		t.Errorf("rxe0: %+v", soft)
	}
	if f.RDMADevice("mlx5_3") != nil || f.Module("nfsd") != nil {
		t.Error("what is not there is found")
	}
}

// A guest with soft RoCE, looked at by this program.
func TestParseGuest(t *testing.T) {
	f := load(t, "guest.full.txtar")
	rxe := f.Module("rdma_rxe")
	if rxe == nil || rxe.Size <= 0 || rxe.State.Or("") != "Live" || rxe.Version.IsKnown() || rxe.Version.Why() != "this module names none" {
		t.Fatalf("rdma_rxe: %+v", rxe)
	}
	if core := f.Module("ib_core"); core == nil || core.Users.Or(0) < 2 || !strings.Contains(strings.Join(core.UsedBy, " "), "rdma_rxe") {
		t.Errorf("ib_core: %+v", core)
	}
	if len(f.RDMA) != 1 || f.RDMA[0].Name != "rxe0" || len(f.RDMA[0].Ports) != 1 {
		t.Fatalf("RDMA devices: %+v", f.RDMA)
	}
	p := f.RDMA[0].Ports[0]
	if p.State.Or("") != "ACTIVE" || p.LinkLayer.Or("") != "Ethernet" || !p.Rate.IsKnown() || p.ActiveMTU.Or(0) != 1024 || p.HWCounters == nil {
		t.Errorf("its port: %+v", p)
	}
	found := false
	for _, g := range p.GIDs {
		found = found || g.GID.Unmap().String() == "10.0.2.1" && g.Type.Or("") == "RoCE v2" && g.Interface.Or("") == "rdma" && g.Index == 1
	}
	if !found {
		t.Errorf("no GID of 10.0.2.1: %+v", p.GIDs)
	}
}

func TestParseModules(t *testing.T) {
	f := load(t, "rdma.others.txtar")
	if len(f.Modules) != 3 || f.Modules[1].Name != "vsock" {
		t.Fatalf("%+v", f.Modules)
	}
	m := f.Module("vsock")
	if m.Size != 45056 || m.Users.Or(0) != 5 || strings.Join(m.UsedBy, " ") != "vsock_loopback vmw_vsock_virtio_transport_common vmw_vsock_vmci_transport" || m.State.Or("") != "Live" || m.Taints != "" || m.Version.Or("") != "1.0.2.0-k" {
		t.Errorf("%+v", m)
	}
	for text, want := range map[string]Module{
		"a 10 - - Live 0x0 (OE)\n":                       {Name: "a", Size: 10, Users: unit.Unknown[int]("this kernel unloads no modules and does not count their users"), State: known("Live"), Taints: "OE"},
		"b 10 1 [permanent], Live 0x0\n":                 {Name: "b", Size: 10, Users: known(1), State: known("Live")},
		"c 10 -1 - Unloading 0x0\n":                      {Name: "c", Size: 10, Users: unit.Unknown[int](`the kernel says "-1"`), State: known("Unloading")},
		"Module                  Size  Used by\nd 8 2\n": {Name: "d", Size: 8, Users: known(2)},
	} {
		list, err := parseModules([]byte(text))
		if err != nil || len(list) != 1 {
			t.Errorf("%q: %+v, %v", text, list, err)
			continue
		}
		m := list[0]
		if m.Name != want.Name || m.Size != want.Size || m.Users != want.Users || m.State != want.State || m.Taints != want.Taints || m.UsedBy != nil || m.Version.IsKnown() {
			t.Errorf("%q: %+v, want %+v", text, m, want)
		}
	}
	if list, err := parseModules(nil); err != nil || list == nil || len(list) != 0 {
		t.Errorf("no module is loaded: %v, %v", list, err)
	}
	if list, err := parseModules([]byte("a 1 2\nb many\n")); err == nil || len(list) != 1 {
		t.Errorf("a damaged line: %v, %v", list, err)
	}
	if list, err := parseModules([]byte("bash: no such\n")); err == nil {
		t.Errorf("a tool's error: %v", list)
	}
}

// Where the kernel has put its modules is in no capture, whoever makes it.
func TestKeepModules(t *testing.T) {
	const text = "a 10 1 b, Live 0xffffffffc0a14000 (OE)\nb 10 0 - Live 0xffffffffc0a03000\n"
	if got := string(keepModules([]byte(text))); got != "a 10 1 b, Live 0x0000000000000000 (OE)\nb 10 0 - Live 0x0000000000000000\n" {
		t.Errorf("%q", got)
	}
}

// Why a fact of a device is unknown stands with it.
func TestRDMAUnknown(t *testing.T) {
	f, err := Parse([]byte("schema " + Schema + `
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
	for what, why := range map[string]string{"firmware " + d.Firmware.Why(): "it is not there", "rate " + p.Rate.Why(): "invalid argument",
		"interface " + p.GIDs[0].Interface.Why(): "no such device", "MTU " + p.ActiveMTU.Why(): "the program is not here"} {
		if !strings.Contains(what, why) {
			t.Errorf("%s; want %s", what, why)
		}
	}
	wrong := 0
	for _, u := range f.Unknown {
		if strings.Contains(u.Reason, "is no ") {
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
