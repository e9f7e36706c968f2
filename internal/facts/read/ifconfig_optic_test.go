package read

import (
	"slices"
	"testing"
)

// TestIfconfigModules reads modules of ifconfig -v: an SFP with its transmit power, lanes of a QSFP with their laser
// currents, a cable. The forms are those of snapshots of FreeBSD 12 and 14.
func TestIfconfigModules(t *testing.T) {
	head := ": flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 9000\n\tmedia: Ethernet autoselect " +
		"(10Gbase-SR <full-duplex,rxpause,txpause>)\n\tstatus: active\n"
	f, err := Parse([]byte("os freebsd\n-- ifconfig -vma --\nix0" + head + `	plugged: SFP/SFP+/SFP28 10G Base-SR (LC)
	vendor: Intel Corp PN: FTLX8571D3BCV-IT SN: masked-1 DATE: 2011-10-27
	module temperature: 51.27 C Voltage: 3.31 Volts
	RX: 0.49 mW (-3.02 dBm) TX: 0.66 mW (-1.74 dBm)
cxl0` + head + `	plugged: QSFP28 Unknown (MPO 1x12 Parallel Optic)
	vendor: INNOLIGHT PN: TR-FC85S-N00 SN: masked-2 DATE: 2020-05-20
	module temperature: 49.41 C voltage: 3.29 Volts
	lane 1: RX power: 0.98 mW (-0.11 dBm) TX bias: 7.60 mA
	lane 2: RX power: 0.00 mW (-inf dBm) TX bias: 7.50 mA
ix1` + head + `	plugged: SFP/SFP+/SFP28 1X Copper Passive (Copper pigtail)
	vendor: Amphenol PN: 571540001 SN: masked-3 DATE: 2012-10-17
ix2` + head))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	a, b, c := f.NIC("ix0").Wire.Optic, f.NIC("cxl0").Wire.Optic, f.NIC("ix1").Wire.Optic
	for what, ok := range map[string]bool{
		"SFP": a.Form == "SFP/SFP+/SFP28" && slices.Equal(a.Types, []string{"10G Base-SR"}) &&
			a.Vendor == "Intel Corp" && a.Part == "FTLX8571D3BCV-IT" && !a.Copper,
		"it measures": a.Temperature.Or(0) == 51.27 && a.Voltage.Or(0) == 3.31 && a.Diagnostics.Or(false) &&
			len(a.Lanes) == 1 && a.Lanes[0].Receive.Or(0) == -3.02 && a.Lanes[0].Send.Or(0) == -1.74 &&
			!a.Lanes[0].Bias.IsKnown(),
		"its lines": a.Proofs["temperature"].Line == "module temperature: 51.27 C Voltage: 3.31 Volts" &&
			a.Proofs["receive"].Line == "RX: 0.49 mW (-3.02 dBm) TX: 0.66 mW (-1.74 dBm)",
		"QSFP": b.Form == "QSFP28" && b.Types == nil && len(b.Lanes) == 2 && b.Lanes[1].Receive.Or(0) == -40 &&
			b.Lanes[1].Bias.Or(0) == 7.5 && !b.Lanes[0].Send.IsKnown(),
		"lines of lanes": b.Proofs["receive 2"].Line == "lane 2: RX power: 0.00 mW (-inf dBm) TX bias: 7.50 mA",
		"cable": c.Copper && c.Part == "571540001" && !c.Temperature.IsKnown() && c.Temperature.Why() != "" &&
			!c.Diagnostics.IsKnown() && len(c.Lanes) == 0,
		"none is told": f.NIC("ix2").Wire.Optic == nil,
	} {
		if !ok {
			t.Errorf("%s: %+v %+v %+v", what, a, b, c)
		}
	}
}
