package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What cannot be asked is said, all of it at once, and nothing is printed.
func TestCeilingMistakes(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                            {"name a fabric file, or the link's rate"},
		"--transport udp":                             {"--transport: name the link's rate"},
		"--rate 10g":                                  {"write it as 10G"},
		"--rate FDR --transport tcp":                  {"ib has the rates SDR to EDR"},
		"--rate 10G --transport ib":                   {"ib has the rates SDR to EDR"},
		"--rate DDRx3":                                {"no width of 3 lanes"},
		"--rate 10G --transport tpc":                  {"--transport tpc: this version knows tcp, udp, rocev1"},
		"--rate 10G --markers --path-mtu 9":           {"--markers changes nothing for tcp", "--path-mtu changes nothing for tcp"},
		"--rate 10G --window 64KiB":                   {"--window without --rtt"},
		"--rate 10G --loss 100% --rtt 1ms":            {"above 0 and below 100 %"},
		"--rate 10G --io 0":                           {"--io: 0: nothing cannot be carried"},
		"--rate 10G --per-byte 3":                     {"write it as 0.26ns or 260ps", "--per-byte without --per-packet"},
		"--rate 10G --payload 256":                    {"--payload without --pcie"},
		"--rate 10G --mtu 9 --pcie 3.0x9":             {"MTU 9 is below 68 bytes", "no width of 9 lanes"},
		"--rate 1G --copies 3 --nodes 2":              {"no more copies than nodes"},
		"--depth 3 --latency 1ms":                     {"--depth without --io"},
		"--rate 9G --transport rocev2 --mtu 300":      {"MTU 300 leaves no room for RDMA's smallest packets"},
		"--rate 9G --direction in":                    {"--direction in: write out or both"},
		"--rate 9G --transport udp --direction both":  {"--direction changes nothing for udp"},
		"examples/mesh-10g.yaml --mtu 9000 --rate 1G": {"--mtu: a fabric file says it", "--rate: a fabric file says it"},
	} {
		a := call(t, nil, append([]string{"ceiling"}, strings.Fields(line)...)...)
		if a.code != exitInput || a.out != "" {
			t.Errorf("ceiling %s: %s", line, a)
		}
		for _, w := range want {
			if strings.Count(a.err, w) != 1 {
				t.Errorf("ceiling %s: %q is not said once:\n%s", line, w, a.err)
			}
		}
	}
}

// The object has the figures of all transports, and says where each input is from.
func TestCeilingObject(t *testing.T) {
	a := call(t, nil, strings.Fields("ceiling --rate 100G --transport rocev2,smb --pcie 3.0x8 --json")...)
	var got struct {
		Paths []struct {
			Transport string
			Rate      float64 `json:"bits_per_second"`
			Component string
			Hops      []struct {
				Kind   string
				Inputs []struct{ Name, Origin string }
			}
			Figures []struct {
				Name, Unit string
				Value      float64
			}
		}
	}
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || len(got.Paths) != 2 {
		t.Fatal(err, a)
	}
	// RDMA's headers do not cross the bus; those of TCP do.
	roce, smb := got.Paths[0], got.Paths[1]
	if int(roce.Rate/1e7) != 5292 || int(smb.Rate/1e7) >= 5292 || roce.Component != "PCIe 3.0x8, receiving" {
		t.Errorf("%+v\n%+v", roce, smb)
	}
	origin := map[string]string{}
	for _, h := range roce.Hops {
		for _, in := range h.Inputs {
			origin[in.Name] = in.Origin
		}
	}
	if origin["rate"] != "declared" || origin["payload"] != "assumed" || origin["path_mtu"] != "assumed" {
		t.Errorf("%v", origin)
	}
	found := false
	for _, f := range smb.Figures {
		found = found || f.Name == "pcie_kernel_bits_per_second" && f.Value == 63.008e9
	}
	if !found {
		t.Errorf("%+v", smb.Figures)
	}
}
