package read

import (
	"testing"

	"linerate/internal/facts/parse/rdma"
)

func TestRDMASystem(t *testing.T) {
	json, err := Parse([]byte("host h\nos linux\n-- rdma -j resource " +
		"--\n[{\"ifindex\":0,\"ifname\":\"rxe0\",\"pd\":1,\"cq\":1,\"qp\":2}]\n-- rdma sys --\nnetns exclusive " +
		"copy-on-fork on\n"))
	if err != nil || len(json.RDMAInUse) != 1 || json.RDMAInUse[0].Counts["qp"] != 2 ||
		json.RDMANetns.Mode != "exclusive" || len(json.Unknown) > 0 {
		t.Errorf("%v %+v", err, json)
	}
	for a, b := range map[string]string{"14.32.1010": "14.25.1020", "16.35.2000": "16.9.9999"} {
		if !rdma.NewerFirmware(a, b) || rdma.NewerFirmware(b, a) || rdma.NewerFirmware(a, a) {
			t.Error(a, b)
		}
	}
}
