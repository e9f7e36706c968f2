package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/result"
)

// record keeps the run folders of the spoiled labs, reduced to what explain reads:
// go test ./cmd/linerate -run TestSpoiledLab -record ../../explain/testdata
var record = flag.String("record", "", "folder that the spoiled labs' runs are recorded into")

// A lab spoiled by hand: the verdict names the cause and shows its counters; the same lab left alone is never anything but its link.
func TestSpoiledLab(t *testing.T) {
	needLab(t)
	const nic, peer = "cardp1", "10.0.1.2"
	// With no delay between two namespaces even 8 KiB in flight fill 5 Gb/s: what a connection or a core can do only
	// binds on a link that is faster than this machine.
	fast := []string{"speed: 10G, ports: 2, cage: sfp+", "speed: 100G, ports: 2, cage: qsfp28", "ends: [sfp+, sfp+]", "ends: [qsfp28, qsfp28]"}
	for _, c := range []struct {
		name, scale string
		edit        []string // of the fabric: old, new
		spoil       func(t *testing.T, s *spoiled)
		limiter     string
		confidence  []string
		counters    []string // in the evidence
		fix         string
	}{
		{name: "healthy", scale: "0.02", limiter: "link", confidence: []string{"proved"}, counters: []string{"goodput"}},
		{name: "receive-window-cap", scale: "1", edit: fast, limiter: "receive-window-cap", confidence: []string{"likely", "proved"},
			spoil: func(t *testing.T, s *spoiled) {
				s.on(t, "host2", "sysctl", "-w", "net.ipv4.tcp_rmem=4096 6144 6144")
			}, counters: []string{"rwnd_limited", "rcvbuf"}, fix: "net.ipv4.tcp_rmem"},
		{name: "send-buffer-cap", scale: "1", edit: fast, limiter: "send-buffer-cap", confidence: []string{"likely", "proved"},
			spoil: func(t *testing.T, s *spoiled) {
				s.on(t, "host1", "sysctl", "-w", "net.ipv4.tcp_wmem=4096 8192 8192")
			}, counters: []string{"sndbuf", "rtt"}, fix: "net.ipv4.tcp_wmem"},
		{name: "app-limited", scale: "0.02", limiter: "app-limited", confidence: []string{"proved"}, edit: []string{"streams: 1", "streams: 1, pace: 50M, pace_by: program"},
			counters: []string{"app_limited"}, fix: "pace"},
		{name: "paced", scale: "0.02", limiter: "app-limited", confidence: []string{"proved"}, edit: []string{"streams: 1", "streams: 2, pace: 40M"},
			counters: []string{"pace", "max_pacing_rate"}, fix: "pace"},
		{name: "local-shaper", scale: "0.02", limiter: "local-shaper", confidence: []string{"proved"},
			spoil: func(t *testing.T, s *spoiled) {
				s.on(t, "host1", "tc", "qdisc", "replace", "dev", nic, "root", "tbf", "rate", "80mbit", "burst", "128kb", "limit", "500kb")
			}, counters: []string{"tbf rate", "wmem_alloc", "overlimits"}, fix: "linerate lab down"},
		{name: "wrong-nic", scale: "0.02", limiter: "wrong-nic", confidence: []string{"proved"},
			spoil: func(t *testing.T, s *spoiled) {
				s.on(t, "host3", "sysctl", "-w", "net.ipv4.ip_forward=1")
				s.on(t, "host3", "ip", "route", "replace", peer+"/32", "via", "10.0.3.1")
				s.on(t, "host1", "ip", "route", "replace", peer+"/32", "via", "10.0.2.2")
			}, counters: []string{"tx_bytes", "tx_bytes", "interface"}, fix: "ip route del " + peer + "/32 dev cardp2"},
		{name: "window-scaling-off", scale: "1", edit: fast, limiter: "window-scaling-off", confidence: []string{"likely", "proved"},
			spoil: func(t *testing.T, s *spoiled) {
				s.on(t, "host2", "sysctl", "-w", "net.ipv4.tcp_window_scaling=0")
			}, counters: []string{"wscale", "tcp_window_scaling", "rwnd_limited"}, fix: "net.ipv4.tcp_window_scaling=1"},
		{name: "duplicate-subnet", scale: "0.02", limiter: "duplicate-subnet", confidence: []string{"proved", "likely"},
			spoil: func(t *testing.T, s *spoiled) {
				s.on(t, "host3", "sysctl", "-w", "net.ipv4.ip_forward=1")
				s.on(t, "host3", "sysctl", "-w", "net.ipv4.conf.all.proxy_arp=1")
				s.on(t, "host3", "ip", "route", "replace", peer+"/32", "via", "10.0.3.1")
				s.on(t, "host1", "ip", "address", "add", "10.0.1.9/24", "dev", "cardp2")
				s.on(t, "host1", "ip", "address", "del", "10.0.1.1/24", "dev", nic) // added again, its route comes second
				s.on(t, "host1", "ip", "address", "add", "10.0.1.1/24", "dev", nic)
			}, counters: []string{"tx_bytes", "tx_bytes", "interface"}, fix: "ip address del 10.0.1.9/24 dev cardp2"},
		{name: "firewall-cost", scale: "1", limiter: "firewall-cost", confidence: []string{"likely"}, edit: fast,
			spoil: func(t *testing.T, s *spoiled) {
				s.manyRules(t, "host2")
			}, counters: []string{"rules", "cpu"}, fix: "nft add set"},
		{name: "offloads-off", scale: "1", limiter: "offloads-off", confidence: []string{"likely"}, edit: fast,
			spoil: func(t *testing.T, s *spoiled) {
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				s.on(t, "host1", self, spoilArgument, nic)
			}, counters: []string{"tso,gso", "cpu", "tx_packets"}, fix: "ethtool -K cardp1 tso on gso on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			s := p.labUp(t, copyFile(t, "testdata/three.yaml", p.path("three.yaml"), c.edit...), c.scale)
			if c.spoil != nil {
				c.spoil(t, s)
			}
			n := 0
			tries(t, func() error {
				n++
				dir := p.path(fmt.Sprintf("run%d", n))
				a := s.linerate(t, "run", s.fabric, "--lab="+s.id, "--repeats", "1", "-o", dir, "--json")
				if a.code != exitDone {
					return fmt.Errorf("want exit code 0: %s", a)
				}
				r := a.run(t)
				v := r.Experiments[0].Verdict
				if v == nil {
					t.Fatalf("no verdict: %s", a)
				}
				var counters []string
				for _, e := range v.Evidence {
					counters = append(counters, e.Counter)
				}
				if v.Limiter != c.limiter || !slices.Contains(c.confidence, v.Confidence) {
					return fmt.Errorf("verdict %s (%s), want %s %v: %s\ncandidates %v, evidence %v", v.Limiter, v.Confidence, c.limiter, c.confidence, v.Sentence, v.Candidates, v.Evidence)
				}
				if !hold(counters, c.counters) || !strings.Contains(v.Fix, c.fix) {
					return fmt.Errorf("evidence of %v, want %v; fix %q, want %q", counters, c.counters, v.Fix, c.fix)
				}
				if *record != "" {
					reduce(t, dir, filepath.Join(*record, c.name))
				}
				return nil
			})
		})
	}
}

// hold says whether there is a counter with the beginning of each wanted one, in their order.
func hold(have, want []string) bool {
	for _, h := range have {
		if len(want) > 0 && strings.HasPrefix(h, want[0]) {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// reduce copies of a run folder what explain reads, without what it does not look at.
func reduce(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(to, "captures"), 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(from, result.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	r := &result.Run{}
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, e := range r.Experiments {
		for i := range e.Repeats {
			e.Repeats[i].SeriesOut, e.Repeats[i].SeriesIn = nil, nil
		}
		machines := []string{"sw1"}
		for _, end := range e.Ends {
			machines = append(machines, end.Host)
		}
		for _, machine := range machines {
			for _, when := range []string{result.Idle, result.IdleEnd, result.At(result.Before, e.ID), result.At(result.After, e.ID),
				result.DuringOf(0, e.ID), result.DuringOf(1, e.ID), result.DuringOf(2, e.ID)} {
				used[result.CaptureName(machine, when)] = true
			}
		}
	}
	r.Files, r.Hosts = nil, nil
	r.FabricPath = filepath.Base(r.FabricPath)
	r.Arguments = []string{"linerate", "run", r.FabricPath, "--lab"}
	if b, err = json.MarshalIndent(r, "", " "); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, result.ManifestName), append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	for name := range used {
		b, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) && (strings.Contains(name, "."+result.During) || strings.Contains(name, "/sw1.")) {
			continue // a host that was too busy to be asked so often, and a fabric without a switch
		}
		if err != nil {
			t.Fatal(err)
		}
		var kept strings.Builder
		keep := true // the head
		for line := range strings.Lines(string(b)) {
			if section, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(section, " --\n") {
				keep = readByExplain(section)
			}
			if strings.HasPrefix(line, "kernel ") {
				line = "kernel 6.12.0\n"
			}
			if keep {
				kept.WriteString(line)
			}
		}
		if err := os.WriteFile(filepath.Join(to, name), []byte(kept.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readByExplain(section string) bool {
	switch section, _, _ := strings.Cut(section, " "); section {
	case "proc/net/snmp", "proc/net/netstat", "proc/net/softnet_stat", "proc/net/stat/nf_conntrack":
		return true
	}
	for _, start := range []string{"ip -j", "tc -j", "ethtool -k", "ethtool -S", "proc/sys/net/ipv4/tcp_rmem", "proc/sys/net/ipv4/tcp_wmem", "proc/sys/net/ipv4/tcp_window_scaling", "nft"} {
		if strings.HasPrefix(section, start) {
			return !strings.Contains(section, "-6")
		}
	}
	return false
}
