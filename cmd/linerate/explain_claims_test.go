package main

import (
	"encoding/json"
	"os"
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
		"--iperf3 OUT/iperf3-40g-1500.txt@1500,OUT/iperf3-40g-9000.txt@9000 --rate 40G --no-timestamps": {
			"tool-single-thread (likely)", "12.0 Gb/s (31.6 % of what link allows)", "24.5 Gb/s (61.8 % of what link allows)",
			"593 ns each", "30.7 Gb/s at most", "4 processes on cores of their own: 38.0 Gb/s",
			"1.03 M packets a second at MTU 1500, 342 k at 9000", "19.5 Gb/s with MTU 4000, the same thread",
			"not known   whether there are cores"},
		"--iperf3 OUT/iperf3-40g-1500.txt --rate 40G --no-timestamps": {"12.0 Gb/s are 31.6 % of what link allows",
			"perhaps     tool-single-thread", "linerate measure stream"},
		"--figure 9.6G --rate 10G": {"layer-mixed", "frames, not goodput",
			"about 9.26 Gb/s"},
		"--figure 74.5GiB/2m --rate 10G": {"5.33 Gb/s are 56.6 % of what link allows",
			"79993765888 bytes x 8 / 120 s"},
		"--figure 93G --rate 100G --transport rocev2 --path-mtu 1024":  {"rdma-path-mtu (proved)", "98.0 Gb/s"},
		"--figure 93Gbps --rate 100Gbps --transport rocev2 --mtu 9000": {"unexplained", "perhaps     rdma-path-mtu"},
		"--figure 108G,136G --rate 100G --mtu 9000":                    {"108 Gb/s cannot be", "136 Gb/s cannot be"},
		"--figure 20G --rate 100G --transport rocev2 --pcie 1.1x8": {"above-ceiling",
			"PCIe 1.1x8, receiving allows at most 12.4 Gb/s"},
		"--figure <20G --rate 100G --transport rocev2 --pcie 1.1x8": {"pcie (likely)",
			"It could not have been 20.0 Gb/s", "then        link at 92.6 Gb/s"},
		"--figure 12.2G --rate 100G --transport rocev2 --pcie 1.1x8 --payload 256": {"pcie (proved)"},
		"--figure 454M --rate 1G --routed": {"48.2 %",
			"perhaps     switch-cpu-forwarding"},
		"--figure 1GB/1.7s --drive sata3": {"drive (likely)",
			"if GB meant GiB it was 632 MB/s"},
		"--figure 2903MB/s --rate 25G --copies 3 --nodes 4": {"55.5 %",
			"5.81 Gb/s of each of 4 nodes"},
		"--fio OUT/fio-read-direct.json --drive pcie3x4": {"seq read",
			"8 requests of 1 MiB at once"},
		"--fio OUT/fio-mixed.txt --drive pcie3x4": {"mix read", "mix write"},
		"--perftest OUT/write_bw.txt --rate 100G": {"rdma-path-mtu (proved)", "98.0 Gb/s"},
		"--perftest OUT/sweep_bw.txt --rate EDR": {"99.7 %", "link (proved)",
			"by size     2 B         42.0 Mb/s  0.0423 %"},
		"--perftest OUT/write_lat.txt --rate 100G": {"A message of 2 B takes 1.88 us"},
		"--crystaldiskmark OUT/crystal8.txt --drive sata3": {"one-connection (proved)", "702 MB/s (5.62 Gb/s) cannot be",
			"drives get some 90 %"},
		"--ntttcp OUT/ntttcp.txt --rate 10G --no-timestamps": {"link (proved)", "9.49 Gb/s is all that link allows",
			"(MB = 1048576 bytes)"},
		"--ntttcp OUT/ntttcp.txt --rate 10G --mtu 9000": {"perhaps     mtu-one-sided: its packets carried 1460 bytes"},
		"--diskspd OUT/diskspd.txt --drive pcie3x4":     {"64 requests of 4 KiB at once, 625 us each"},
	} {
		a := call(t, nil, append([]string{"explain"}, strings.Fields(strings.ReplaceAll(line, "OUT/", outputs))...)...)
		if a.code != cli.ExitDone || a.err != "" {
			t.Errorf("explain %s: %s", line, a)
		}
		testenv.Contains(t, line, a.out, want...)
	}
	for line, want := range map[string][]string{
		"":                                       {"name a run", "--rate: what the link carries is to be known"},
		"--figure 9.6G":                          {"--rate: what the link carries"},
		"--figure 0G,x --rate 10G":               {"--figure 0G: nothing was carried", "--figure x:"},
		"--figure 0GiB/2m --rate 10G":            {"nothing was carried; write the bytes and the time"},
		"--figure 1G@big --rate 10G":             {`"big" behind the @ is no MTU`},
		"--iperf3 none.txt --rate 1G":            {"--iperf3 none.txt: no such file or directory"},
		"--iperf3 testdata/three.yaml --rate 1G": {"no line of iperf3"},
		"--fio none.txt --diskspd testdata/three.yaml --figure x --rate 1G": {"--fio none.txt: no such",
			"no table \"Total IO\"", "--figure x:"},
		"--iperf3 OUT/iperf3-40g-1500.txt@big --rate 1G": {`"big" behind the @ is no MTU`},
		"--figure 1G --rate 1G --transport tcp,udp":      {"a figure is of one transport"},
		"--figure 1G --rate 1G --mtu 9":                  {"MTU 9 is below 68 bytes"},
		"--figure 1G --drive sata9":                      {"generations of sata go from 1 to 3"},
		"--perftest OUT/sweep_bw.txt --rate 100G":        {"the output says InfiniBand"},
		"latest --mtu 9000":                              {"--mtu: a run says it"},
		"latest --fio x":                                 {"--fio: a run says it"},
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
	a := call(t, nil, strings.Fields("explain --figure 9.6G --rate 10G --json")...)
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
		got.Figures[0].Verdict.Limiter != "layer-mixed" || got.Figures[0].Rate != 9.6e9 || got.Figures[0].Ceiling.Rate == 0 {
		t.Errorf("%v: %s", err, a)
	}
}

// Explaining a run again writes nothing, not even a missing page.
func TestExplainWritesNothing(t *testing.T) {
	dir := recordedRun(t, "window-scaling-off")
	a := call(t, nil, "explain", dir)
	if a.code != cli.ExitDone || !strings.Contains(a.out, "window scaling is off") {
		t.Error(a)
	}
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
