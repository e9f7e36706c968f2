package read

import (
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// TestWire reads samples in the form of real outputs: the modes of jc's, FEC with lanes of a commit, QSFP28 of a
// switch's port, counters of mlx5 and bnx2x, a bond of insights-core.
func TestWire(t *testing.T) {
	w := load(t, "wire.txtar").NIC("e1").Wire
	if facts.Fastest(w.Offered()) != 25e9 || w.FEC.InEffect() != "RS" {
		t.Errorf("%+v %+v", w, w.FEC)
	}
}

// TestKeptInterfaces: a file with the outputs of several interfaces is several; a file's name is the interface of an
// output without one.
func TestKeptInterfaces(t *testing.T) {
	files := map[string][]byte{
		"ethtool.txt":      []byte("Settings for e1:\n\tSpeed: 10000Mb/s\nSettings for e2:\n\tSpeed: 25000Mb/s\n"),
		"ethtool-S-e1.txt": []byte("NIC statistics:\n     rx_packets: 5\n     rx_out_of_buffer: 7\n"),
		"ethtool_-m_e2": []byte("\tIdentifier                                : 0x03 (SFP)\n\tVendor PN              " +
			"                   : X\n"),
		"ethtool--g-e1--note": []byte("Ring parameters for e1:\nCurrent hardware settings:\nRX:\t\t512\n"),
	}
	kept, not := FromKept("h", files, []string{"ethtool.txt", "ethtool-S-e1.txt", "ethtool_-m_e2", "ethtool--g-e1--note"})
	f, err := Parse(kept)
	if err != nil || len(not) > 0 || len(f.Unknown) > 0 {
		t.Fatal(err, not, f.Unknown)
	}
	e1, e2 := f.NIC("e1"), f.NIC("e2")
	if len(f.NICs) != 2 || e1.Speed.Or(0) != 10*unit.GigabitPerSecond || e2.Speed.Or(0) != 25*unit.GigabitPerSecond ||
		e1.Driven["rx_out_of_buffer"] != 7 || e2.Wire.Optic == nil || e1.Wire.Rings == nil {
		t.Errorf("%+v", f.NICs)
	}
}
