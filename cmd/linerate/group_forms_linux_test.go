package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
)

// Many hosts at once over UDP and with a different MTU, over IPv4 and IPv6: every flow is there, and the ceiling is
// that of the configured MTU.
func TestGroupTransportsAndMTU(t *testing.T) {
	t.Parallel()
	needLab(t)
	for name, pool := range map[string]string{"IPv4": "pool: 10.0.0.0/16, prefix: 24",
		"IPv6": `pool: "fd00:10::/48", prefix: 64`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			fabric := copyFile(t, "testdata/star.yaml", p.path("star.yaml"), "pool: 10.0.0.0/16, prefix: 24", pool,
				"traffic: incast, streams: 2", "traffic: incast, streams: 2, transport: [tcp, udp], mtu: [1500, 9000]")
			a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.02", "--experiments", "incast", "--repeats", "1", "--json",
				"-o",
				filepath.Join(t.TempDir(), "run")).ends(t, cli.ExitDone)
			r := a.run(t)
			if len(r.Experiments) != 4 {
				t.Fatalf("%d experiments", len(r.Experiments))
			}
			limits := map[string]float64{}
			for _, x := range r.Experiments {
				key := x.Settings["transport"] + " " + x.Settings["mtu"]
				if x.InEffect["mtu"] != x.Settings["mtu"] || len(x.Flows) != 3 || x.Ceiling == nil {
					t.Fatalf("%s: MTU %q in effect, %d flows, ceiling %v", key, x.InEffect["mtu"], len(x.Flows), x.Ceiling)
				}
				if (x.UDP != nil) != (x.Settings["transport"] == "udp") || x.UDP != nil &&
					(x.UDP.Datagrams == nil || *x.UDP.Datagrams == 0) {
					t.Errorf("%s: datagrams %+v", key, x.UDP)
				}
				limits[key] = float64(x.Ceiling.Limit)
				if x.Verdict == nil || x.Goodput == nil || x.Goodput.Median <= 0 {
					t.Errorf("%s: verdict %+v, goodput %+v", key, x.Verdict, x.Goodput)
				}
			}
			for _, transport := range []string{"tcp", "udp"} {
				if more := limits[transport+" 9000"] / limits[transport+" 1500"]; more < 1.03 || more > 1.08 {
					t.Errorf("over %s the ceiling of MTU 9000 is %v times that of 1500", transport, more)
				}
			}
		})
	}
}

// One pair over IPv6: stream and ping, over TCP and UDP, one stream and eight.
func TestIPv6(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/star.yaml", p.path("star.yaml"), "pool: 10.0.0.0/16, prefix: 24",
		`pool: "fd00:10::/48", prefix: 64`, `pairs: {method: throughput, from: "n[1-2]", to: "n[3-4]"}`,
		"pairs: {method: throughput, from: n1, to: n2, streams: [1, 8], time: 1s, transport: [tcp, udp]}\n  trips: {method: "+
			"ping, from: n1, to: n2, time: 300ms, transport: [tcp, udp]}"), "0.02")
	address := strings.TrimSpace(s.on(t, "n2", "sh", "-c",
		"ip -6 -o addr show scope global | sed 's/.*inet6 //; s,/.*,,'"))
	if !strings.Contains(address, ":") {
		t.Fatalf("address %q", address)
	}
	for _, args := range [][]string{
		{"run", s.fabric, "--in-lab=" + s.id, "--experiments", "pairs", "-o", filepath.Join(t.TempDir(), "run")},
		{"run", s.fabric, "--in-lab=" + s.id, "--experiments", "trips", "-o", filepath.Join(t.TempDir(), "run")},
		{"measure", "throughput", "--from", "lab " + s.id + "/n1", "--to", "lab " + s.id + "/n2", "--to-address", address,
			"--transport", "tcp,udp", "--streams", "1,8", "--time", "1s"},
		{"measure", "latency", "--from", "lab " + s.id + "/n1", "--to", "lab " + s.id + "/n2", "--to-address", address,
			"--transport", "tcp,udp", "--time", "1s"},
	} {
		a := s.linerate(t, append(args, "--repeats", "1", "--json")...)
		if a.code != cli.ExitDone {
			t.Errorf("%q: %s", args, a)
			continue
		}
		r := a.run(t)
		if at := "the rates of its links are 1/50 of the planned ones"; args[0] == "measure" &&
			(len(r.Notes) != 1 || r.Notes[0].About != "lab "+s.id || r.Notes[0].Text != at) {
			t.Errorf("%q: notes %+v, want %q", args, r.Notes, at)
		}
		for _, x := range r.Experiments {
			if x.Failed != "" || x.NotRun != "" || x.Method == "throughput" && (x.Goodput == nil || x.Goodput.Median <= 0) ||
				x.Method == "latency" && (x.Latency == nil || x.Latency.P50 <= 0) {
				t.Errorf("%q %v: failed %q, not run %q, goodput %v", args, x.Settings, x.Failed, x.NotRun, x.Goodput)
			}
			for _, e := range x.Ends {
				if !strings.Contains(e.Address, ":") {
					t.Errorf("%q: the address %s of %s", args, e.Address, e.Host)
				}
			}
		}
	}
}

// Patterns without a fabric file: hosts of a lab by ranges, at a declared rate.
func TestMeasurePatterns(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/star.yaml", p.path("star.yaml")), "0.02")
	for _, c := range []struct {
		name  string
		args  []string
		flows string
		links float64 // that they share
	}{
		{"pairs", []string{"--from", "n[1-4]"}, "n1>n3 n2>n4", 2},
		{"incast", []string{"--from", "n1", "--from", "n[2-3]", "--to", "n4"}, "n1>n4 n2>n4 n3>n4", 1},
		{"all-to-all", []string{"--from", "n[1-3]"}, "n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"measure", "throughput", "--traffic", c.name, "--link", "200M", "--direction", "out", "--repeats",
				"1", "--time", "1s", "--json"}
			for _, a := range c.args {
				if !strings.HasPrefix(a, "--") {
					a = "lab " + s.id + "/" + a
				}
				args = append(args, a)
			}
			a := s.linerate(t, args...).ends(t, cli.ExitDone)
			x := a.run(t).Experiments[0]
			var have []string
			for _, f := range x.Flows {
				have = append(have, f.From+">"+f.To)
			}
			if got := strings.Join(have, " "); got != c.flows || x.Pattern != c.name {
				t.Fatalf("%s %s; want %s", x.Pattern, got, c.flows)
			}
			const link = 200e6 * 1448 / 1538
			if limit := float64(x.Ceiling.Limit); limit > 1.0001*c.links*link || limit < 0.995*c.links*link {
				t.Errorf("ceiling %v; want that of %v links", limit, c.links)
			}
			if x.Verdict == nil || x.Goodput == nil || x.Goodput.Median <= 0 {
				t.Errorf("verdict %+v, goodput %+v", x.Verdict, x.Goodput)
			}
		})
	}
	for says, args := range map[string][]string{
		"even number":  {"--traffic", "pairs", "--from", "lab " + s.id + "/n[1-3]"},
		"pairs":        {"--traffic", "star", "--from", "lab " + s.id + "/n[1-2]"},
		"no such host": {"--traffic", "pairs", "--from", "lab " + s.id + "/n[4-5]"},
	} {
		a := s.linerate(t, append([]string{"measure", "throughput"}, args...)...)
		if says == "no such host" {
			if a.code != cli.ExitIncomplete || !strings.Contains(a.err, "n5") {
				t.Errorf("%q: %s", args, a)
			}
		} else if a.code != cli.ExitInput || !strings.Contains(a.err, says) {
			t.Errorf("%q: %s", args, a)
		}
	}
}

// Many to one over ssh, where each pair of hosts has its own subnet.
func TestPatternOverSSH(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/ssh.yaml", p.path("four.yaml")), "0.2")
	bin, _ := s.sshHosts(t, map[string]string{"a": "10.30.1.2", "b": "10.30.2.2", "c": "10.30.3.2"})
	for _, transport := range []string{"tcp", "udp"} {
		a := s.linerate(t, "lab", "exec", s.id+"/ctl", "--", "env", "-C", s.dir, "HOME="+s.dir,
			"PATH="+bin+":"+os.Getenv("PATH"), p.program(t), "measure", "throughput", "--traffic", "incast", "--from", "ssh b",
			"--from", "ssh c", "--to", "ssh a", "--transport", transport, "--direction", "both", "--repeats", "1", "--time",
			"1s", "--json").ends(t, cli.ExitDone)
		r := a.run(t)
		x := r.Experiments[0]
		if len(x.Flows) != 2 || x.Goodput == nil || x.From != "b, c" || x.To != "a" {
			t.Fatalf("%s -> %s: %+v", x.From, x.To, x.Flows)
		}
		for _, f := range x.Flows {
			if f.Forward == nil || f.Backward == nil || f.Forward.Median <= 0 || f.Backward.Median <= 0 || f.Failed != "" {
				t.Errorf("%s: %+v", transport, f)
			}
		}
		for _, h := range r.Hosts {
			if !strings.HasPrefix(h.Connection, "ssh ") || h.Error != "" {
				t.Errorf("host %+v", h)
			}
		}
	}
	s.noFolders(t)
}
