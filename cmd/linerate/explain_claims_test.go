package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// outputs are outputs of tools from the parsers' tests.
const outputs = "../../internal/record/claims/testdata/"

// An iperf3 output over 40GbE from a web page, at two MTUs, outputs of other tools, and figures from elsewhere.
func TestExplainFigures(t *testing.T) {
	for line, want := range map[string][]string{
		"OUT/iperf3-40g-1500.txt@1500 OUT/iperf3-40g-9000.txt@9000 --link 40G --no-timestamps": {
			"tool-single-thread (likely)", "12.0 Gb/s, 32 % of the maximum of the link",
			"24.5 Gb/s, 62 % of the maximum of the link",
			"Each packet costs 593 ns", "30.7 Gb/s at most", "4 processes on cores of their own: 38.0 Gb/s",
			"1.03 M packets a second at MTU 1500, 342 k at 9000", "19.5 Gb/s with MTU 4000, the same thread",
			"unknown     whether there are cores"},
		"OUT/iperf3-40g-1500.txt --link 40G --no-timestamps": {"12.0 Gb/s is 32 % of the maximum of the link",
			"perhaps     tool-single-thread", "linerate measure throughput"},
		"--value 9.6G --link 10G": {"layer-mixed", "frames with their headers",
			"about 9.26 Gb/s"},
		"--value 74.5GiB/2m --link 10G": {"5.33 Gb/s is 57 % of the maximum of the link",
			"79993765888 bytes x 8 / 120 s"},
		"--value 93G --link 100G --transport rocev2 --path-mtu 1024":  {"rdma-path-mtu (proved)", "98.0 Gb/s"},
		"--value 93Gbps --link 100Gbps --transport rocev2 --mtu 9000": {"unexplained", "perhaps     rdma-path-mtu"},
		"--value 108G,136G --link 100G --mtu 9000": {"108 Gb/s is impossible",
			"136 Gb/s is impossible"},
		"--value 20G --link 100G --transport rocev2 --pcie 1.1x8": {"above-ceiling",
			"PCIe 1.1 x8 (receiving) allows at most 12.4 Gb/s"},
		"--value <20G --link 100G --transport rocev2 --pcie 1.1x8": {"pcie (likely)",
			"20.0 Gb/s was impossible", "then        link at 92.6 Gb/s"},
		"--value 12.2G --link 100G --transport rocev2 --pcie 1.1x8 --payload 256": {"pcie (proved)"},
		"--value 454M --link 1G --routed": {"48 %",
			"perhaps     switch-cpu-forwarding"},
		"--value 1GB/1.7s --drive sata3": {"drive (likely)",
			"if GB meant GiB it was 632 MB/s"},
		"--value 2903MB/s --link 25G --replicas 3 --nodes 4": {"56 %",
			"5.81 Gb/s of each of 4 nodes"},
		"OUT/fio-read-direct.json --drive pcie3x4": {"seq read",
			"8 requests of 1 MiB in parallel"},
		"OUT/fio-mixed.txt --drive pcie3x4": {"mix read", "mix write"},
		"OUT/write_bw.txt --link 100G":      {"rdma-path-mtu (proved)", "98.0 Gb/s"},
		"OUT/sweep_bw.txt --link EDR": {"99.7 %", "link (proved)",
			"by size     2 B         42.0 Mb/s  0.042 %"},
		"OUT/write_lat.txt --link 100G": {"A message of 2 B takes 1.88 us"},
		"OUT/crystal8.txt --drive sata3": {"one-connection (proved)", "702 MB/s (5.62 Gb/s) is impossible",
			"drives get some 90 %"},
		"OUT/ntttcp.txt --link 10G --no-timestamps": {"link (proved)", "The link is full: 9.49 Gb/s",
			"(MB = 1048576 bytes)"},
		"OUT/ntttcp.txt --link 10G --mtu 9000":       {"perhaps     mtu-one-sided: its packets carried 1460 bytes"},
		"OUT/crystal7.txt --link 1G --transport smb": {"112 MB/s is 95 %", "one-connection (proved)"},
		"OUT/fio-job-alone.txt --drive pcie3x4":      {"275 MB/s is 7.0 %"},
		"OUT/write_bw_hdr.txt --link HDR":            {"The link is full: 197 Gb/s"},
		"OUT/write_bw_ndr.txt --link NDR":            {"The link is full: 390 Gb/s"},
		"OUT/iperf3-bidir.txt --link 10G --mtu 9000": {"client to server, both directions at once: 3.10 Gb/s is 31 %",
			"server to client, both directions at once: 1.20 Gb/s is 12 %"},
		"OUT/iperf3-mss.txt OUT/iperf3-mss.json --link 10G": {"iperf3-mss.txt: The link is full: 9.82 Gb/s (9.90 Gb/s",
			"iperf3-mss.json: The link is full: 9.82 Gb/s (9.90 Gb/s"},
		"OUT/iperf3-core.txt --link 40G":         {"perhaps     cpu-per-packet: the process of the receiver used 99.2 %"},
		"OUT/iperf3-core.json":                   {"perhaps     cpu-per-packet: the process of the receiver used 99.2 %"},
		"OUT/iperf3-retransmits.txt --link 100G": {"perhaps     random-loss: about 0.9 % of all segments"},
		"OUT/iperf3-udp-loss.txt --link 10G": {"20 % of the datagrams were lost: 4.99 Gb/s was sent, 4.00 Gb/s arrived",
			"perhaps     udp-socket-overflow"},
		"OUT/iperf3-stalled.txt --link 10G --mtu 9000": {"Nothing arrived after the first packets.",
			"perhaps     mtu-black-hole", "first 2.65 Mbits/sec, with a congestion window of 8.74 KBytes; then nothing"},
		"OUT/iperf3-loopback.txt --link 40G": {"This is loopback: 127.0.0.1 is the machine itself. " +
			"12.0 Gb/s says nothing about a link.\n  verdict     unexplained\n"},
		"OUT/iperf3-loopback.txt":         {"This is loopback: 127.0.0.1", "linerate quick HOST"},
		"OUT/iperf3-stalled.txt":          {"perhaps     mtu-black-hole"},
		"OUT/ntttcp-linux.txt --link 40G": {"23.6 Gb/s is 63 %", "1204 segments were retransmitted"},
		"--value 113MB/s --link 10G --transport smb": {"perhaps     link-speed: if MB are 2^20 bytes",
			"101 % of what a link of 1.00 Gb/s"},
		"OUT/perftest.json --link 100G":   {"Write BW: 92.5 Gb/s is 94 %"},
		"OUT/perftest-mib.txt --link 25G": {"The link is full: 24.2 Gb/s"},
		"OUT/diskspd.txt --drive pcie3x4": {"64 requests of 4 KiB in parallel, 625 us each"},
	} {
		a := call(t, nil, append([]string{"explain"}, strings.Fields(strings.ReplaceAll(line, "OUT/", outputs))...)...)
		if a.code != cli.ExitDone || a.err != "" {
			t.Errorf("explain %s: %s", line, a)
		}
		testenv.Contains(t, line, a.out, want...)
	}
	for line, want := range map[string][]string{
		"":                           {"error: missing FILE, RUN or ID", "help: linerate explain FILE"},
		"--value 9.6G":               {"error: link speed unknown", "--link 40G"},
		"--value 0G,x --link 10G":    {"--value 0G: nothing was carried", "--value x:"},
		"--value 0GiB/2m --link 10G": {"nothing was carried\nhelp: write the bytes and the time"},
		"--value 1G@big --link 10G":  {`"big" behind the @ is not an MTU`},
		"./none.txt --link 1G":       {"error: ./none.txt: no such file"},
		"testdata/three.yaml --link 1G": {"testdata/three.yaml: nothing was recognised",
			"help: add --tool iperf3"},
		"testdata/three.yaml --tool fio":           {"Run status group"},
		"testdata/three.yaml --tool ping":          {"--tool ping: linerate does not read", "help: write --tool iperf3"},
		"./none.txt ./no.txt --value x --link 1G":  {"./none.txt: no such file", "./no.txt: no such file"},
		"OUT/iperf3-40g-1500.txt@big --link 1G":    {`"big" behind the @ is not an MTU`},
		"--value 1G --link 1G --transport tcp,udp": {"a figure is of one transport"},
		"--value 1G --link 1G --mtu 9":             {"MTU 9 is below 68 bytes"},
		"--value 1G --drive sata9":                 {"generations of sata go from 1 to 3"},
		"OUT/sweep_bw.txt --link 100G":             {"the output says InfiniBand"},
		"mtu-one-sidd": {"error: mtu-one-sidd: no such file, run or problem",
			"did you mean mtu-one-sided?"},
	} {
		a := call(t, nil, append([]string{"explain"}, strings.Fields(strings.ReplaceAll(line, "OUT/", outputs))...)...)
		if a.code != cli.ExitInput || a.out != "" {
			t.Errorf("explain %s: %s", line, a)
		}
		for _, w := range want {
			if strings.Count(a.err, w) != 1 {
				t.Errorf("explain %s: %q is not said once: %s", line, w, a.err)
			}
		}
	}
	a := call(t, nil, strings.Fields("explain --value 9.6G --link 10G --json")...)
	var got struct {
		Figures []struct {
			Name    string
			Rate    float64 `json:"bits_per_second"`
			Ceiling struct {
				Rate float64 `json:"bits_per_second"`
			}
			Verdict struct{ Limiter string }
		}
	}
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || len(got.Figures) != 1 ||
		got.Figures[0].Verdict.Limiter != "layer-mixed" || got.Figures[0].Rate != 9.6e9 ||
		got.Figures[0].Ceiling.Rate == 0 {
		t.Errorf("%v: %s", err, a)
	}
}

// A run needs a path: the report of a run is printed by report. Explaining writes nothing, not even a missing page.
func TestExplainRun(t *testing.T) {
	dir := recordedRun(t, "window-scaling-off")
	a := call(t, nil, "explain", dir).ends(t, cli.ExitInput)
	testenv.Contains(t, "explain RUN", a.err, "help: linerate report "+dir+" prints the report",
		`help: linerate explain `+dir+` "host1 -> host2" explains one path`)
	a = call(t, nil, "explain", dir, "host1 -> host2").ends(t, cli.ExitDone)
	testenv.Contains(t, "explain RUN PATH", a.out, "window scaling is off", "evidence", "fix")
	a = call(t, nil, "explain", dir, "host1->host9").ends(t, cli.ExitInput)
	testenv.Contains(t, "explain RUN of another path", a.err, `no path "host1->host9"`, "the paths are host1 -> host2")
	a = call(t, nil, "explain", dir, "host1 -> host2", "--json").ends(t, cli.ExitDone)
	a.object(t, "linerate/verdicts/1")
	a = call(t, nil, "explain", dir, "--mtu", "9000").ends(t, cli.ExitInput)
	testenv.Contains(t, "explain RUN with a ceiling", a.err, "--mtu: a run has it")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v: %v", err, entries)
	}
	if a := call(t, nil, "report", dir); a.code != cli.ExitDone || !strings.Contains(a.out, "report.html") {
		t.Error(a)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v: %v", err, entries)
	}
}

// piped runs a command line with a text as standard input.
func piped(t *testing.T, text string, args ...string) answer {
	t.Helper()
	var out, errs bytes.Buffer
	e := &cli.Env{In: strings.NewReader(text), Out: &out, Err: &errs, Getenv: func(string) string { return "" }}
	code := e.Execute(t.Context(), commandTree(e), args)
	return answer{code, out.String(), errs.String()}
}

// Standard input is explained where no word is given, or -. What is not read is named.
func TestExplainStandardInput(t *testing.T) {
	text := string(testenv.Must(os.ReadFile(outputs + "ntttcp.txt"))(t))
	for _, args := range [][]string{{"explain"}, {"explain", "-"}} {
		a := piped(t, "Look at this please:\n\n"+text+"\nWhat limits it?\n",
			append(args, "--link", "10G", "--no-timestamps")...).ends(t, cli.ExitDone)
		testenv.Contains(t, args, a.out, "The link is full: 9.49 Gb/s (9.49 Gb/s maximum). Nothing to fix.")
		testenv.Contains(t, args, a.err, "note: standard input, line 1: not recognised: Look at this please:",
			"not recognised: What limits it?")
	}
	// The interface's speed and MTU are in the text.
	a := piped(t, "root@nas:~# ethtool e0\nSettings for e0:\n\tSpeed: 10000Mb/s\n\tDuplex: Full\n\tLink detected: yes\n"+
		"root@nas:~# iperf3 -c desk\n"+iperf3Text, "explain").ends(t, cli.ExitDone)
	testenv.Contains(t, "a session", a.out, "The link is full: 9.41 Gb/s", "nas: nothing found")
	testenv.Contains(t, "a session", a.err, "note: link speed 10.0 Gb/s")
	// What is not read has its name, and nothing else is not an answer.
	a = piped(t, "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to nas () port 0 AF_INET\n",
		"explain").ends(t, cli.ExitInput)
	testenv.Contains(t, "netperf", a.err, "error: this is output of netperf\n",
		"help: measure with iperf3")
	a = piped(t, "hello\n", "explain").ends(t, cli.ExitInput)
	testenv.Contains(t, "nothing", a.err, "error: standard input: nothing was recognised",
		"line 1: not recognised: hello")
	a = piped(t, iperf3Text, "explain").ends(t, cli.ExitInput)
	testenv.Contains(t, "no rate", a.err, "error: link speed unknown\nhelp: add --link 40G",
		"note: standard input: 9.41 Gb/s was measured.")
	a = piped(t, iperf3Text+"hello\n", "explain", "--link", "10G", "--json").ends(t, cli.ExitDone)
	got := a.object(t, "linerate/explain/1")
	if len(got["figures"].([]any)) != 1 || len(got["not_read"].([]any)) != 1 {
		t.Error(a)
	}
}

const iperf3Text = `Connecting to host desk, port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  11.0 GBytes  9.41 Gbits/sec    0             sender
[  5]   0.00-10.00  sec  11.0 GBytes  9.41 Gbits/sec                  receiver
`

// A folder of snapshots, one snapshot, and a folder with outputs of a host give what check finds.
func TestExplainSnapshots(t *testing.T) {
	dir := t.TempDir()
	host := filepath.Join(dir, "nas")
	testenv.Check(t, os.Mkdir(host, 0o755))
	testenv.WriteFile(t, filepath.Join(host, "ethtool-e0.txt"),
		[]byte("Settings for e0:\n\tSpeed: 10000Mb/s\n\tDuplex: Half\n\tLink detected: yes\n"), 0o600)
	for _, name := range []string{dir, host} {
		a := call(t, nil, "explain", name)
		if a.code != cli.ExitMissed || !strings.Contains(a.out, "half duplex") || !strings.Contains(a.out, "(duplex)") {
			t.Errorf("explain %s: %s", name, a)
		}
	}
	testenv.WriteFile(t, filepath.Join(dir, "nas.txtar"),
		[]byte("-- ethtool e0 --\nSettings for e0:\n\tSpeed: 10000Mb/s\n\tDuplex: Half\n\tLink detected: yes\n"), 0o600)
	if a := call(t, nil, "explain", filepath.Join(dir, "nas.txtar")); a.code != cli.ExitMissed ||
		!strings.Contains(a.out, "(duplex)") {
		t.Error(a)
	}
}
