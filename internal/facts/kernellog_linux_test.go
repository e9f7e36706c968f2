package facts

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// What is kept of a log says the same as all of it, and has neither the kernel's command line nor the rest of the machine's life.
func TestKeepLog(t *testing.T) {
	const log = "<5>[    0.000000] Command line: BOOT_IMAGE=/vmlinuz luks=secret module=x\n" +
		"<6>[    0.000000] Kernel command line: BOOT_IMAGE=/vmlinuz luks=secret cable\n" +
		"<6>[    1.000000] EXT4-fs (vda): mounted filesystem\n" +
		"<6>[    2.000000] mlx5_core 0000:01:00.0: 15.752 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x2 link at 0000:00:01.0 (capable of 126.016 Gb/s with 16.0 GT/s PCIe x8 link)\n" +
		"<6>[    3.000000] br0: port 1(right) entered disabled state\n" +
		"<6>[    9.000000] ixgbe 0000:06:00.1 eth4: NIC Link is Down\n"
	kept := keepLog([]byte(log))
	if s := string(kept); strings.Contains(s, "secret") || strings.Contains(s, "EXT4") || strings.Contains(s, "br0") || strings.Count(s, "\n") != 2 {
		t.Errorf("%s", s)
	}
	for _, text := range []string{log, string(kept)} {
		f, err := Parse([]byte("host h\nos linux\n-- dmesg --\n" + text))
		if err != nil || len(f.Unknown) > 0 || len(f.Events) != 2 || f.Events[0].What != BusNarrow || f.Events[1].Subject != "eth4" {
			t.Errorf("%v %+v", err, f)
		}
	}
	if f, err := Parse([]byte("host h\nos linux\n-- dmesg --\n" + string(keepLog([]byte("<6>[ 1.0] EXT4-fs\n"))))); err != nil || len(f.Unknown)+len(f.Events) > 0 {
		t.Errorf("%v %+v", err, f)
	}
	var long bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&long, "<6>[%5d.000000] ixgbe 0000:06:00.1 eth4: NIC Link is Down\n", i)
	}
	kept = keepLog(long.Bytes())
	if len(kept) > keptLogStart+keptLogEnd+100 || !bytes.HasPrefix(kept, long.Bytes()[:1000]) || !bytes.HasSuffix(kept, long.Bytes()[long.Len()-1000:]) || bytes.Count(kept, []byte("\n# lines between")) != 1 {
		t.Errorf("%d bytes are kept", len(kept))
	}
}
