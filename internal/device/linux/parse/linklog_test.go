package parse

import (
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/testenv"
)

func BenchmarkLinuxLog(b *testing.B) {
	line := "[    9.070424] ixgbe 0000:01:00.0: 90:e2:ba:89:d3:d8\n[   12.112233] systemd[1]: Started Journal Service " +
		"of the machine.\n" +
		"[    9.070303] ixgbe 0000:01:00.0: 4.000 Gb/s available PCIe bandwidth, limited by 5.0 GT/s PCIe x1 link at " +
		"0000:00:00.0 (capable of 32.000 Gb/s with 5.0 GT/s PCIe x8 link)\n"
	text := []byte(strings.Repeat(line, 5<<20/len(line)))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		testenv.Check(b, ReadLog(parse.NewBuilder(new(facts.Facts)), text))
	}
}
