package check

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/facts/read"
	"linerate/tools/bench/harness"
)

// fixture is a snapshot of the tests of facts.
func fixture(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile("../../../internal/facts/read/testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// bundle is a support bundle of a machine with many NICs, of about so many bytes: the kernel's log, the PCI devices,
// the firewall and the sockets.
func bundle(size int) map[string][]byte {
	var dmesg, pci, nft, ss bytes.Buffer
	part := size / 4
	for i := 0; dmesg.Len() < part; i++ {
		fmt.Fprintf(&dmesg,
			"[%5d.%06d] ixgbe 0000:%02x:00.0 eth%d: NIC Link is Up 10 Gbps, Flow Control: RX/TX\n[%5d.%06d] audit: "+
				"type=1400 audit(1.%d): apparmor=\"STATUS\" operation=\"profile_load\"\n", i, i, i%200, i%8, i, i+1, i)
	}
	for i := 0; pci.Len() < part; i++ {
		fmt.Fprintf(&pci,
			"%02x:%02x.%d Ethernet controller: Intel Corporation 82599ES 10-Gigabit SFI/SFP+ Network Connection (rev "+
				"01)\n\tDevCap:\tMaxPayload 512 bytes\n\tDevCtl:\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n"+
				"\tLnkCap:\tPort #0, Speed 5GT/s, Width x8, ASPM L0s, Exit Latency L0s <1us\n\tLnkSta:\tSpeed 5GT/s (ok), "+
				"Width x8 (ok)\n\tCESta:\tRxErr- BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr-\n\tKernel driver in use: "+
				"ixgbe\n\n", i/256%256, i/8%32, i%8)
	}
	nft.WriteString("table inet filter {\n\tchain input {\n\t\ttype filter hook input priority 0; policy accept;\n")
	for i := 0; nft.Len() < part; i++ {
		fmt.Fprintf(&nft, "\t\tip saddr 10.%d.%d.%d tcp dport %d accept\n", i>>16&255, i>>8&255, i&255, i%65536)
	}
	nft.WriteString("\t}\n}\n")
	ss.WriteString("State Recv-Q Send-Q Local Address:Port Peer Address:Port\n")
	for i := 0; ss.Len() < part; i++ {
		fmt.Fprintf(&ss,
			"ESTAB 0 0 10.0.0.1:%d 10.0.0.2:5201\n\t cubic wscale:7,7 rto:204 rtt:0.2/0.05 mss:8948 pmtu:9000 cwnd:%d "+
				"bytes_sent:%d segs_out:9 data_segs_out:9\n", i%65536, i%100, i)
	}
	return map[string][]byte{"dmesg.txt": dmesg.Bytes(), "lspci-vvv.txt": pci.Bytes(),
		"nft-list-ruleset.txt": nft.Bytes(), "ss-tinm.txt": ss.Bytes()}
}

// BenchmarkBundle recognises, splits and parses a support bundle of 5 MB that was saved by hand.
func BenchmarkBundle(b *testing.B) {
	files := bundle(5 << 20)
	var order []string
	size := 0
	for name, text := range files {
		order = append(order, name)
		size += len(text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		text, notRead := read.FromKept("host", files, order)
		f, err := read.Parse(text)
		if err != nil || len(notRead) > 0 || len(f.PCI) == 0 || len(f.Sockets) == 0 {
			b.Fatalf("%v %v: %d devices, %d sockets", err, notRead, len(f.PCI), len(f.Sockets))
		}
	}
}

// BenchmarkThousand runs `linerate check --snapshots` with a thousand hosts: the program reads a folder and prints
// findings. MB-maxrss is its peak memory.
func BenchmarkThousand(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "linerate")
	if out, err := exec.Command("go", "build", "-o", program, "linerate/cmd/linerate").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	folder := filepath.Join(dir, "snapshots")
	if err := os.Mkdir(folder, 0o777); err != nil {
		b.Fatal(err)
	}
	sources := [][]byte{fixture(b, "left.full.txtar"), fixture(b, "right.full.txtar"), fixture(b, "guest.full.txtar"),
		fixture(b, "freebsd.txtar"), fixture(b, "windows.txtar")}
	size := 0
	for i := range 1000 {
		text := sources[i%len(sources)]
		size += len(text)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("n%04d.txtar", i)), text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(size))
	most := int64(0)
	for b.Loop() {
		cmd := exec.Command(program, "check", "--snapshots", folder, "--json")
		var out, printed strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &printed
		err := cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 0 && code != 3 && code != 4 ||
			!strings.Contains(out.String(), `"findings"`) {
			b.Fatalf("%v: %s", err, printed.String())
		}
		most = max(most, harness.PeakMemory(cmd.ProcessState))
	}
	b.ReportMetric(float64(most)/1e6, "MB-maxrss")
}
