package paste

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/facts/read"
)

// listed describes parts, one a line.
func listed(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		what := "not recognised"
		switch {
		case p.Format != nil:
			what = p.Format.Name
		case p.IsHost && p.Command != "":
			what = "host: " + p.Command
		case p.IsHost:
			source, _ := read.Recognise("", []byte(p.Text))
			what = "host: " + source
		}
		if p.Host != "" {
			what += " on " + p.Host
		}
		fmt.Fprintf(&b, "%d-%d %s\n", p.From, p.To, what)
	}
	return b.String()
}

const (
	iperf3Text = `Connecting to host nas, port 5201
[  5] local 10.9.0.1 port 44544 connected to 10.9.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  1.10 GBytes  9.41 Gbits/sec    0   1.17 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  11.0 GBytes  9.41 Gbits/sec    0             sender
[  5]   0.00-10.00  sec  11.0 GBytes  9.41 Gbits/sec                  receiver

iperf Done.
`
	ethtoolText = `Settings for eth0:
	Supported ports: [ FIBRE ]
	Speed: 40000Mb/s
	Duplex: Full
	Link detected: yes
`
	linkText = `2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
`
	fioText = `test: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32
...
fio-3.3
Starting 4 threads
test: (groupid=0, jobs=4): err= 0: pid=5683: Sun Nov 25 20:10:01 2018
  write: IOPS=67.1k, BW=262MiB/s (275MB/s)(25.6GiB/100003msec)
`
)

func each(prefix, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(prefix + line)
	}
	return b.String()
}

// The parts of a text are found whatever is around them, and the rest is named.
func TestParts(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one":          {iperf3Text, "1-10 iperf3\n"},
		"prompt":       {"user@desk:~$ iperf3 -c nas\n" + iperf3Text + "user@desk:~$ \n", "2-11 iperf3 on desk\n"},
		"dollar":       {"$ iperf3 -c nas\n" + iperf3Text, "2-11 iperf3\n"},
		"two runs":     {iperf3Text + iperf3Text, "1-10 iperf3\n11-20 iperf3\n"},
		"quoted":       {each("> ", iperf3Text), "1-10 iperf3\n"},
		"quoted twice": {each("> > ", iperf3Text), "1-10 iperf3\n"},
		"indented":     {each("    ", iperf3Text), "1-10 iperf3\n"},
		"code tags":    {"[code]" + iperf3Text + "[/code]\n", "1-10 iperf3\n"},
		"fence":        {"```console\n" + iperf3Text + "```\n", "2-11 iperf3\n"},
		"pre":          {"<pre>\n" + iperf3Text + "</pre>\n", "2-11 iperf3\n"},
		"colours":      {"\x1b[32m" + iperf3Text + "\x1b[0m", "1-10 iperf3\n"},
		"Markdown code": {"Here it is:\n\n" + each("    ", iperf3Text) + "\nWhy?\n",
			"1-1 not recognised\n3-12 iperf3\n14-14 not recognised\n"},
		"a question": {"I get only this between my machines:\n" + iperf3Text + "What is wrong?\n",
			"1-1 not recognised\n2-11 iperf3\n12-12 not recognised\n"},
		"session": {"root@nas:~# ethtool eth0\n" + ethtoolText + "root@nas:~# ip link\n" + linkText +
			"root@nas:~# iperf3 -c desk\n" + iperf3Text,
			"2-6 host: ethtool eth0 on nas\n8-9 host: ip link on nas\n11-20 iperf3 on nas\n"},
		"without prompts": {ethtoolText + "\n" + iperf3Text + "\n" + linkText,
			"1-5 host: ethtool *\n7-16 iperf3\n18-19 host: ip link\n"},
		"host and question": {"root@nas:~# ethtool eth0\n" + ethtoolText + "\nWhy is it so slow today?\n",
			"2-6 host: ethtool eth0 on nas\n8-8 not recognised on nas\n"},
		"two commands below each other": {ethtoolText + "\n" + linkText, "1-5 host: ethtool *\n7-8 host: ip link\n"},
		"an unknown command": {"root@nas:~# frobnicate\nfrob: 7\nroot@nas:~# fio job\n" + fioText,
			"2-2 not recognised on nas\n4-9 fio on nas\n"},
		"cat": {"root@nas:~# cat out.txt\n" + iperf3Text, "2-11 iperf3 on nas\n"},
		"JSON": {"$ iperf3 -J -c nas\n{\n\"start\": {\"a\": \"}\"},\n\"intervals\": [],\n\"end\": {}\n}\n$ fio x\n" +
			fioText, "2-6 iperf3\n8-13 fio\n"},
		"JSON that was cut off": {"{\"start\": {\n\"intervals\": [\nroot@nas:~# ethtool eth0\n" + ethtoolText,
			"1-2 iperf3\n4-8 host: ethtool eth0 on nas\n"},
		"JSON stream": {"{\"event\":\"start\",\"data\":{}}\n{\"event\":\"end\",\"data\":{}}\n",
			"1-2 iperf3 --json-stream\n"},
		"Windows":     {"PS C:\\Users\\a> .\\iperf3.exe -c nas\n" + iperf3Text + "PS C:\\Users\\a>\n", "2-11 iperf3\n"},
		"nothing":     {"hello\nworld\n", "1-2 not recognised\n"},
		"rules alone": {"-----\n\n=====\n", ""},
	} {
		if got := listed(Parts(c.text)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}

// Outputs of tools without a parser have their name.
func TestNotRead(t *testing.T) {
	for want, text := range map[string]string{
		"iperf2": "------------------------------------------------------------\nClient connecting to nas, TCP port " +
			"5001\n" +
			"TCP window size: 85.0 KByte (default)\n[  3] local 10.0.0.1 port 50000 connected with 10.0.0.2 port 5001\n" +
			"[ ID] Interval       Transfer     Bandwidth\n[  3]  0.0-10.0 sec  1.10 GBytes   941 Mbits/sec\n",
		"qperf":    "tcp_bw:\n    bw  =  1.17 GB/sec\ntcp_lat:\n    latency  =  12.3 us\n",
		"sockperf": "sockperf: == version #3.7-0.git737d1e3e5576 ==\nsockperf: Summary: Latency is 5.270 usec\n",
		"netperf": "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to nas () port 0 AF_INET\n" +
			"Recv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n" +
			"bytes  bytes   bytes    secs.    10^6bits/sec\n\n131072  16384  16384    10.00    9413.08\n",
		"nccl-tests": "# nThread 1 nGpus 2 minBytes 8 maxBytes 134217728 step: 2(factor)\n#\n" +
			"#       size         count      type   redop    root     time   algbw   busbw\n" +
			"           8             2     float     sum      -1    11.33    0.00    0.00\n# Avg bus bandwidth    : 4.05\n",
		"OSU micro-benchmarks": "# OSU MPI Latency Test v7.0\n# Size          Latency (us)\n0                       1.10\n",
		"dd": "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, " +
			"0.912 s, 1.2 GB/s\n",
		"hdparm": " Timing buffered disk reads: 1616 MB in  3.00 seconds = 538.31 MB/sec\n",
		"ping": "PING nas (10.9.0.2) 56(84) bytes of data.\n64 bytes from nas (10.9.0.2): icmp_seq=1 ttl=64 time=0.112 " +
			"ms\n\n" +
			"--- nas ping statistics ---\n1 packets transmitted, 1 received, 0% packet loss, time 0ms\n" +
			"rtt min/avg/max/mdev = 0.112/0.112/0.112/0.000 ms\n",
	} {
		got := Parts(text)
		if len(got) != 1 || got[0].Format != Named(want) || got[0].Format.IsRead() {
			t.Errorf("%s: %s", want, listed(got))
		}
	}
}

// The outputs that the parsers are tested with are recognised, whole.
func TestParsersOutputs(t *testing.T) {
	dir := filepath.Join("..", "..", "record", "claims", "testdata")
	names := map[string]string{"crystal": "crystaldiskmark", "sweep": "perftest", "write": "perftest"}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want := ""
		for _, f := range Formats() {
			if strings.HasPrefix(e.Name(), f.Name) {
				want = f.Name
			}
		}
		for prefix, tool := range names {
			if strings.HasPrefix(e.Name(), prefix) {
				want = tool
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got := Parts(string(text))
		if len(got) != 1 || got[0].Format == nil || got[0].Format.Name != want {
			t.Errorf("%s: want %s:\n%s", e.Name(), want, listed(got))
		}
	}
}

// No line is lost, whatever the text is.
func FuzzParts(f *testing.F) {
	f.Add(iperf3Text + ethtoolText + fioText)
	f.Add("> root@nas:~# ethtool eth0\n{\"start\"")
	f.Fuzz(func(t *testing.T, text string) {
		lines := cleaned(plain(text))
		owner := make([]int, len(lines))
		for _, p := range Parts(text) {
			if p.From < 1 || p.To > len(lines) || p.From > p.To {
				t.Fatalf("lines %d to %d of %d", p.From, p.To, len(lines))
			}
			for i := p.From - 1; i < p.To; i++ {
				owner[i]++
			}
		}
		for i, n := range owner {
			_, _, prompt := read.Prompt(strings.TrimLeft(lines[i], " \t"), map[string]bool{}, isTool)
			if n > 1 {
				t.Errorf("line %d is in %d parts: %q", i+1, n, lines[i])
			}
			if n == 0 && !prompt && strings.ContainsAny(lines[i], "bcdefghijklmnopqrstuvwxyz") &&
				!strings.ContainsAny(lines[i], "#$>%") {
				t.Errorf("line %d is in no part: %q", i+1, lines[i])
			}
		}
	})
}
