package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/result"
)

// Two network namespaces that ip made, spoiled with ip, tc, nft and sysctl and measured without any file: the verdict is what was done.
// Nothing of the lab takes part.
func TestSpoiledByHand(t *testing.T) {
	needLab(t)
	if os.Geteuid() != 0 {
		t.Skip("ip netns needs root")
	}
	for _, c := range []struct {
		name, limiter string
		rate          string
		spoil         []string // commands; A and B stand for the namespaces
	}{
		{"healthy", "link", "1G", nil},
		{"shaper", "local-shaper", "1G", []string{"ip netns exec A tc qdisc replace dev e0 root tbf rate 300mbit burst 128kb limit 500kb"}},
		{"receive window", "receive-window-cap", "100G", []string{"ip netns exec B sysctl -qw net.ipv4.tcp_rmem=4096\t6144\t6144"}},
		{"send buffer", "send-buffer-cap", "100G", []string{"ip netns exec A sysctl -qw net.ipv4.tcp_wmem=4096\t8192\t8192"}},
		{"policer", "policer", "1G", []string{"ip netns exec B nft add table inet f", "ip netns exec B nft add chain inet f i { type filter hook input priority 0 ; }",
			"ip netns exec B nft add rule inet f i meta l4proto tcp limit rate over 12 mbytes/second burst 256 kbytes counter drop"}},
		{"offloads", "offloads-off", "100G", []string{"ip netns exec A ethtool -K e0 tso off gso off"}},
		{"wrong interface", "wrong-nic", "1G", []string{"ip link add h0 netns A type veth peer name h0 netns B", "ip -n A addr add 10.8.0.1/24 dev h0", "ip -n B addr add 10.8.0.2/24 dev h0",
			"ip -n A link set h0 up", "ip -n B link set h0 up", "ip netns exec A tc qdisc add dev h0 root tbf rate 100mbit burst 128kb limit 640kb", "ip -n A route add 10.9.0.2/32 via 10.8.0.2"}},
		{"window scaling", "window-scaling-off", "100G", []string{"ip netns exec B sysctl -qw net.ipv4.tcp_window_scaling=0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			a, b := fmt.Sprintf("lra%d", os.Getpid()), fmt.Sprintf("lrb%d", os.Getpid())
			do := func(line string) {
				t.Helper()
				words := strings.Split(line, " ")
				for i, w := range words {
					switch w {
					case "A":
						words[i] = a
					case "B":
						words[i] = b
					}
				}
				if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", line, err, out)
				}
			}
			for _, ns := range []string{a, b} {
				t.Cleanup(func() { exec.Command("ip", "netns", "del", ns).Run() })
			}
			for _, line := range []string{"ip netns add A", "ip netns add B", "ip link add e0 netns A type veth peer name e0 netns B",
				"ip -n A addr add 10.9.0.1/24 dev e0", "ip -n B addr add 10.9.0.2/24 dev e0", "ip -n A link set e0 up", "ip -n B link set e0 up",
				"ip netns exec A sysctl -qw net.ipv4.tcp_congestion_control=reno", "ip netns exec B sysctl -qw net.ipv4.tcp_congestion_control=reno"} {
				do(line)
			}
			if c.rate == "1G" {
				// 1 Gb/s as Ethernet has it: a bucket counts 24 bytes a frame less.
				for _, ns := range []string{"A", "B"} {
					do("ip netns exec " + ns + " tc qdisc add dev e0 root tbf rate 984mbit burst 128kb limit 640kb")
				}
			}
			for _, line := range c.spoil {
				do(line)
			}
			n := 0
			tries(t, func() error {
				n++
				dir := p.path(fmt.Sprint("run", n))
				got := p.linerate(t, "measure", "stream", "--from", "netns "+a, "--to", "netns "+b, "--to-address", "10.9.0.2", "--rate", c.rate, "--time", "2s", "--direction", "out", "--repeats", "1", "-o", dir, "--json")
				if got.code != exitDone {
					return fmt.Errorf("want exit code 0: %s", got)
				}
				var r result.Run
				text, err := os.ReadFile(filepath.Join(dir, result.ManifestName))
				if err == nil {
					err = json.Unmarshal(text, &r)
				}
				if err != nil || len(r.Experiments) == 0 || r.Experiments[0].Verdict == nil {
					t.Fatalf("%v: %s", err, got)
				}
				if v := r.Experiments[0].Verdict; v.Limiter != c.limiter {
					return fmt.Errorf("verdict %s, want %s: %s; candidates %v", v.Limiter, c.limiter, v.Sentence, v.Candidates)
				}
				return nil
			})
			p.nothingLeft(t, 10*time.Second)
		})
	}
}
