package facts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// What is attached is of the last boot, what happened is of all; what a driver says early and takes back later is not so.
func TestFreeBSDLog(t *testing.T) {
	text, err := os.ReadFile("testdata/freebsd.txtar")
	if err != nil {
		t.Fatal(err)
	}
	f := &Facts{reading: "dmesg"}
	if err := readDmesg(f, nil, parseArchive(text).Files[0].Data); err != nil {
		t.Fatal(err)
	}
	if f.OS != "freebsd" || f.Kernel != "13.1-RELEASE-p5" || f.CPU.Model.Or("") != "Intel(R) Xeon(R) CPU E5520 @ 2.27GHz" || f.Memory.Or(0) != 77309411328 {
		t.Errorf("%s %s %v %v", f.OS, f.Kernel, f.CPU.Model, f.Memory)
	}
	var got []string
	for _, e := range f.Events {
		if e.Source != "dmesg" {
			continue
		}
		s := fmt.Sprintf("%s %s (%s) %d", e.What, e.Subject, e.Detail, e.Count)
		if e.What == BusNarrow {
			s += fmt.Sprintf(" carries %s needs %s", e.Carries.Or(0), e.Needs.Or(0))
		}
		if e.Rate.IsKnown() {
			s += fmt.Sprintf(" rate %s", e.Rate.Or(0))
		}
		got = append(got, s+": "+e.Line)
	}
	slices.Sort(got)
	want := []string{
		"bus-narrow ix0 (PCIe 1.0 x4 (2.5 GT/s)) 1 carries 8.00 Gb/s needs 20.0 Gb/s: ix0: For optimal performance a x8 PCIE, or x4 PCIE Gen2 slot is required.",
		"bus-narrow t5nex0 (PCIe 3.0 x2 (8 GT/s)) 1 carries 15.8 Gb/s needs 40.0 Gb/s: t5nex0: PCIe gen3 x2, 4 ports, 66 MSI-X interrupts, 132 eq, 65 iq",
		"link-down re1 () 2: re1: link state changed to DOWN",
		"no-driver pci6 device 0.0 (network, ethernet) 1: pci6: <network, ethernet> at device 0.0 (no driver attached)",
		"offload-off mce0 (tso4) 1 rate 10.0 Gb/s: mce0: ERR: mlx5e_ioctl:3376:(pid 6577): tso4 disabled due to -txcsum.",
		"offload-off mce0 (tso6) 1 rate 10.0 Gb/s: mce0: ERR: mlx5e_ioctl:3382:(pid 6577): tso6 disabled due to -txcsum6.",
		"one-queue ice0 (1 receive queue) 1 rate 100 Gb/s: ice0: The DDP package module (ice_ddp) failed to load or could not be found. Entering Safe Mode.",
		"probe-failed ocs_fc0 (Emulex LightPulse G7 FC Adapter, error 6) 1: device_attach: ocs_fc0 attach returned 6",
		"tx-timeout re1 () 2: re1: watchdog timeout",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A text that no kernel of FreeBSD wrote is no log of it, and says nothing.
func TestFreeBSDLogOfNothing(t *testing.T) {
	for _, text := range []string{"dmesg: not permitted\n", "\n\n", "hello: world\n"} {
		if f := new(Facts); readFreeBSDLog(f, []byte(text)) == nil || len(f.Events) > 0 {
			t.Errorf("%q was read", text)
		}
	}
}

func TestChelsioNeeds(t *testing.T) {
	for words, want := range map[string]float64{"Chelsio T520-LL-CR": 20e9, "Chelsio T540-CR": 40e9, "Chelsio T580-LP-CR": 80e9, "Chelsio T62100-SO-CR": 200e9, "Chelsio T6225-CR": 50e9, "Chelsio T420-CR": 20e9} {
		if got := (&bsdCard{words: words}).needs(1); float64(got) != want {
			t.Errorf("%s: %s, want %g", words, got, want)
		}
	}
}

// freebsdFixture is the made-up host of testdata/freebsd.txtar.
func freebsdFixture(t *testing.T) *Facts {
	t.Helper()
	return load(t, "freebsd.txtar")
}
