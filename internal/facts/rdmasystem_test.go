package facts

import "testing"

func TestRDMASystem(t *testing.T) {
	f := load(t, "rdma.system.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	if f.RDMANetns == nil || f.RDMANetns.Mode != "shared" || f.RDMANetns.Line != "netns shared copy-on-fork on" {
		t.Errorf("%+v", f.RDMANetns)
	}
	if u := f.RDMAInUse; len(u) != 2 || u[1].Device != "rxe1" || u[1].Counts["qp"] != 3 || len(u[0].Counts) != 7 {
		t.Errorf("%+v", u)
	}
	c := f.CardFirmware
	if len(c) != 2 || c[0].Current != "14.25.1020" || c[0].Available != "14.32.1010" || c[0].PSID != "MT_2420110034" || c[0].Status.Line != "Status: Update required" ||
		c[1].Current != "13.1703.0000" || c[1].Available != "" || c[1].Device != "/dev/mst/mt52100_pci_cr0" {
		t.Errorf("%+v", c)
	}
	json, err := Parse([]byte("host h\nos linux\n-- rdma -j resource --\n[{\"ifindex\":0,\"ifname\":\"rxe0\",\"pd\":1,\"cq\":1,\"qp\":2}]\n-- rdma sys --\nnetns exclusive copy-on-fork on\n"))
	if err != nil || len(json.RDMAInUse) != 1 || json.RDMAInUse[0].Counts["qp"] != 2 || json.RDMANetns.Mode != "exclusive" || len(json.Unknown) > 0 {
		t.Errorf("%v %+v", err, json)
	}
	for a, b := range map[string]string{"14.32.1010": "14.25.1020", "16.35.2000": "16.9.9999"} {
		if !NewerFirmware(a, b) || NewerFirmware(b, a) || NewerFirmware(a, a) {
			t.Error(a, b)
		}
	}
}

func FuzzRDMASystem(f *testing.F)    { fuzzRead(f, "rdma system", readRDMASystem) }
func FuzzRDMAResources(f *testing.F) { fuzzRead(f, "rdma resource", readRDMAResources) }
func FuzzMlxfwmanager(f *testing.F)  { fuzzRead(f, "mlxfwmanager", readMlxfwmanager) }
