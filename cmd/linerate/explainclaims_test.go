package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a page of 2020 printed of iperf3 over 40GbE, at two MTUs, and figures that were read elsewhere.
func TestExplainFigures(t *testing.T) {
	for line, want := range map[string][]string{
		"--iperf3 testdata/figures/iperf3-40g-1500.txt@1500,testdata/figures/iperf3-40g-9000.txt@9000 --rate 40G --no-timestamps": {
			"tool-single-thread (likely)", "593 ns each", "30.7 Gb/s at most", "4 processes on cores of their own: 38.0 Gb/s"},
		"--iperf3 testdata/figures/iperf3-40g-1500.txt --rate 40G --no-timestamps": {"12.0 Gb/s are 31.6 % of what link allows", "perhaps     tool-single-thread", "linerate measure stream"},
		"--figure 9.6G --rate 10G":                                    {"layer-mixed", "about 9.26 Gb/s"},
		"--figure 93G --rate 100G --transport rocev2 --path-mtu 1024": {"link (proved)", "98.0 Gb/s"},
		"--figure 108G,136G --rate 100G --mtu 9000":                   {"108 Gb/s cannot be", "136 Gb/s cannot be"},
		"--figure 20G --rate 100G --transport rocev2 --pcie 1.1x8":    {"above-ceiling", "PCIe 1.1x8, receiving allows at most 12.4 Gb/s"},
		"--figure 12.2G --rate 100G --transport rocev2 --pcie 1.1x8":  {"pcie (proved)"},
	} {
		a := call(t, nil, append([]string{"explain"}, strings.Fields(line)...)...)
		if a.code != exitDone || a.err != "" {
			t.Errorf("explain %s: %s", line, a)
		}
		for _, w := range want {
			if !strings.Contains(a.out, w) {
				t.Errorf("explain %s: want %q: %s", line, w, a)
			}
		}
	}
	for line, want := range map[string][]string{
		"":                                       {"name a run", "--rate: what the link carries is to be known"},
		"--figure 9.6G":                          {"--rate: what the link carries"},
		"--figure 0G,x --rate 10G":               {"--figure 0G: nothing was carried", "--figure x:"},
		"--iperf3 none.txt --rate 1G":            {"--iperf3 none.txt: no such file or directory"},
		"--iperf3 testdata/three.yaml --rate 1G": {"no line of iperf3"},
		"--iperf3 testdata/figures/iperf3-40g-1500.txt@big --rate 1G": {`"big" behind the @ is no MTU`},
		"--figure 1G --rate 1G --transport tcp,udp":                   {"a figure is of one transport"},
		"--figure 1G --rate 1G --mtu 9":                               {"MTU 9 is below 68 bytes"},
		"latest --mtu 9000":                                           {"--mtu: a run says it"},
	} {
		a := call(t, nil, append([]string{"explain"}, strings.Fields(line)...)...)
		if a.code != exitInput || a.out != "" {
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
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || len(got.Figures) != 1 || got.Figures[0].Verdict.Limiter != "layer-mixed" || got.Figures[0].Rate != 9.6e9 || got.Figures[0].Ceiling.Rate == 0 {
		t.Errorf("%v: %s", err, a)
	}
}

// Explaining a run again writes nothing, not even the page that it has not.
func TestExplainWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS("../../explain/testdata/window-scaling-off")); err != nil {
		t.Fatal(err)
	}
	a := call(t, nil, "explain", dir)
	if a.code != exitDone || !strings.Contains(a.out, "window scaling is off") {
		t.Error(a)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v: %v", err, entries)
	}
	if a := call(t, nil, "report", dir); a.code != exitDone || !strings.Contains(a.out, "report.html") {
		t.Error(a)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v: %v", err, entries)
	}
}
