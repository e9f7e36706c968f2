package read

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// TestFreeBSDLog: attached devices are those of the last boot, events those of all boots; messages that a driver
// corrects later are ignored.
func TestFreeBSDLog(t *testing.T) {
	text := testenv.Must(os.ReadFile("testdata/freebsd.txtar"))(t)
	f := &parse.Builder{Facts: new(facts.Facts), Reading: "dmesg"}
	testenv.Check(t, readDmesg(f, nil, snapshot.ParseArchive(text).Files[0].Data))
	if f.OS != "freebsd" || f.Kernel != "13.1-RELEASE-p5" ||
		f.CPU.Model.Or("") != "Intel(R) Xeon(R) CPU E5520 @ 2.27GHz" || f.Memory.Or(0) != 77309411328 {
		t.Errorf("%s %s %v %v", f.OS, f.Kernel, f.CPU.Model, f.Memory)
	}
	var got []string
	for _, e := range f.Events {
		if e.Source != "dmesg" {
			continue
		}
		s := fmt.Sprintf("%s %s (%s) %d", e.What, e.Subject, e.Detail, e.Count)
		if e.What == facts.BusNarrow {
			s += fmt.Sprintf(" carries %s needs %s", e.Carries.Or(0), e.Needs.Or(0))
		}
		if e.Rate.IsKnown() {
			s += fmt.Sprintf(" rate %s", e.Rate.Or(0))
		}
		got = append(got, s+": "+e.Line)
	}
	slices.Sort(got)
	want := []string{
		"bus-narrow ix0 (PCIe 1.0 x4 (2.5 GT/s)) 1 carries 8.00 Gb/s needs 20.0 Gb/s: ix0: For optimal performance a x8 " +
			"PCIE, or x4 PCIE Gen2 slot is required.",
		"bus-narrow t5nex0 (PCIe 3.0 x2 (8 GT/s)) 1 carries 15.8 Gb/s needs 40.0 Gb/s: t5nex0: PCIe gen3 x2, 4 ports, 66 " +
			"MSI-X interrupts, 132 eq, 65 iq",
		"link-down re1 () 2: re1: link state changed to DOWN",
		"no-driver pci6 device 0.0 (network, ethernet) 1: pci6: <network, ethernet> at device 0.0 (no driver attached)",
		"offload-off mce0 (tso4) 1 rate 10.0 Gb/s: mce0: ERR: mlx5e_ioctl:3376:(pid 6577): tso4 disabled due to -txcsum.",
		"offload-off mce0 (tso6) 1 rate 10.0 Gb/s: mce0: ERR: mlx5e_ioctl:3382:(pid 6577): tso6 disabled due to -txcsum6.",
		"one-queue ice0 (1 receive queue) 1 rate 100 Gb/s: ice0: The DDP package module (ice_ddp) failed to load or could " +
			"not be found. Entering Safe Mode.",
		"probe-failed ocs_fc0 (Emulex LightPulse G7 FC Adapter, error 6) 1: device_attach: ocs_fc0 attach returned 6",
		"tx-timeout re1 () 2: re1: watchdog timeout",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
