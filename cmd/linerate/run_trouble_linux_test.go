package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/measure"
	"linerate/internal/cli/setting"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// two are two namespaces with a cable between them: 10.77.0.1 and 10.77.0.2.
type two struct {
	*place
	a, b string
}

func twoHosts(t *testing.T) *two {
	t.Helper()
	testenv.Need(t, testenv.Live)
	w := &two{newPlace(t), connecttest.Namespace(t), connecttest.Namespace(t)}
	connecttest.IP(t, "-n", w.a, "link", "add", "e0", "type", "veth", "peer", "name", "e0", "netns", w.b)
	for i, ns := range []string{w.a, w.b} {
		connecttest.IP(t, "-n", ns, "addr", "add", fmt.Sprintf("10.77.0.%d/24", i+1), "dev", "e0")
		connecttest.IP(t, "-n", ns, "link", "set", "e0", "up")
	}
	return w
}

// flowing waits until data has arrived at b.
func (w *two) flowing(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, err := exec.Command("ip", "netns", "exec", w.b, "cat", "/sys/class/net/e0/statistics/rx_bytes").Output()
		if n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 5<<20 {
			return
		}
	}
	t.Fatalf("no data after %v", patience)
}

// args is a measurement between the two.
func (w *two) args(method string, more ...string) []string {
	return append([]string{"measure", method, "--from", "netns " + w.a, "--to", "netns " + w.b, "--to-address",
		"10.77.0.2", "--repeats", "1", "--json"}, more...)
}

// firewall loads rules for a namespace's incoming packets.
func (w *two) firewall(t *testing.T, ns, rule string) {
	t.Helper()
	nft, err := exec.LookPath("nft")
	if err != nil {
		if nft = "/usr/sbin/nft"; !exists(nft) {
			missing(t, "the program nft (Debian: nftables)")
		}
	}
	cmd := exec.Command("ip", "netns", "exec", ns, nft, "-f", "-")
	cmd.Stdin = strings.NewReader("flush ruleset\ntable inet t {\n chain in {\n type filter hook input priority 0;\n " +
		"iif lo accept\n " + rule + "\n }\n}\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("nftables in the kernel: %v: %s", err, out))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// one is the only experiment of an answer.
func one(t *testing.T, a answer) *record.Experiment {
	t.Helper()
	r := a.run(t)
	if len(r.Experiments) != 1 {
		t.Fatalf("%d experiments: %s", len(r.Experiments), a)
	}
	return r.Experiments[0]
}

// A firewall at the listening end: the other end listens instead, and the data keeps its direction.
func TestFirewallInOneDirection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rule, says string }{
		"filtered": {"tcp flags & (syn|ack) == syn drop", "no answer at all"},
		"refused":  {"tcp flags & (syn|ack) == syn reject with tcp reset", "answered with a reset"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := twoHosts(t)
			w.firewall(t, w.b, c.rule)
			for _, direction := range []string{"out", "in"} {
				a := w.linerate(t, w.args("throughput", "--time", "1s", "--direction", direction)...).ends(t, cli.ExitDone)
				x := one(t, a)
				sent := x.Repeats[0].Forward
				if direction == "in" {
					sent = x.Repeats[0].Backward
				}
				if stream := x.Repeats[0].Streams[0]; stream.Direction != direction || stream.Received == 0 {
					t.Errorf("%s: nothing went the way that was asked for: %+v", direction, stream)
				}
				if x.Direction != direction || x.Goodput == nil || x.Goodput.Median != sent {
					t.Errorf("%s: the data did not go the way that was asked for: %+v", x.Direction, x.Repeats[0])
				}
				warned := strings.Join(x.Repeats[0].Warnings, "\n")
				if !strings.Contains(warned, w.a+" cannot connect to "+w.b) || !strings.Contains(warned, c.says) ||
					!strings.Contains(warned, "the direction of the data is as asked") {
					t.Errorf("warnings: %q", warned)
				}
			}
		})
	}
}

// Firewalls at both ends: the error names their kind, in both directions, and how to tell.
func TestFirewallInBothDirections(t *testing.T) {
	t.Parallel()
	w := twoHosts(t)
	w.firewall(t, w.a, "meta l4proto tcp drop")
	w.firewall(t, w.b, "meta l4proto tcp reject with tcp reset")
	a := w.linerate(t, w.args("throughput", "--time", "500ms", "--direction", "out")...).ends(t, cli.ExitIncomplete)
	failed := one(t, a).Failed
	for _, want := range []string{"10.77.0.1 -> 10.77.0.2", "no answer at all", "the other way round",
		"ping between the two"} {
		if strings.Count(failed, want) != 1 {
			t.Errorf("failed: %q, want %q once", failed, want)
		}
	}
}

// The same over UDP, dropped and rejected: the message names the kind, and how to tell.
func TestFirewallOverUDP(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule string
		says []string
	}{
		"filtered": {"meta l4proto udp drop", []string{"no answer to UDP datagrams",
			"try TCP, and ping between the two addresses"}},
		"refused": {"meta l4proto udp reject", []string{"nothing listens on the port (ICMP)",
			"look at that host's firewall"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := twoHosts(t)
			w.firewall(t, w.a, c.rule)
			w.firewall(t, w.b, c.rule)
			a := w.linerate(t, w.args("throughput", "--time", "500ms", "--direction", "out", "--transport", "udp")...)
			if a.code != cli.ExitIncomplete {
				t.Fatal(a)
			}
			failed := one(t, a).Failed
			for _, want := range append(c.says, "10.77.0.1", "10.77.0.2", "the other way round") {
				if !strings.Contains(failed, want) {
					t.Errorf("failed: %q, want %q", failed, want)
				}
			}
		})
	}
}

// A link that is down before the measurement: the error names what to check, and the other tests of the path do not
// wait for the same answer.
func TestLinkIsDown(t *testing.T) {
	t.Parallel()
	w := twoHosts(t)
	connecttest.IP(t, "-n", w.b, "link", "set", "e0", "down")
	a := w.linerate(t, w.args("throughput", "--time", "500ms", "--direction", "out", "--streams", "1,8")...)
	all := a.ends(t, cli.ExitIncomplete).run(t).Experiments
	if failed := all[0].Failed; !strings.Contains(failed, "no way there") || !strings.Contains(failed, "carrier") {
		t.Errorf("failed: %q", failed)
	}
	if failed := all[1].Failed; !strings.Contains(failed, "not tried, because nothing got through") {
		t.Errorf("the second test: %q", failed)
	}
}

// A hundred streams with a limit of 64 files.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		missing(t, "the program prlimit (Debian: util-linux)")
	}
	w := twoHosts(t)
	cmd := exec.Command(prlimit, append([]string{"--nofile=64:64", w.program(t)},
		w.args("throughput", "--streams", "100", "--time", "500ms", "--direction", "out")...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	a := finish(t, cmd).ends(t, cli.ExitIncomplete)
	failed := one(t, a).Failed
	testenv.Contains(t, "the reason", failed, "100 connections need", "limit for the agent is 64", "ulimit -n", "at most")
}

// A rate above the link's is measured with a warning.
func TestRateAboveTheLinks(t *testing.T) {
	p := &plan.Port{Interface: "e0", Speed: 10 * unit.GigabitPerSecond}
	if got := measure.RateAbove(40*unit.GigabitPerSecond, "nas", p); len(got) != 1 ||
		!strings.Contains(got[0], "--link 40.0 Gb/s is above the speed of e0 of nas, 10.0 Gb/s") {
		t.Errorf("%q", got)
	}
	for _, rate := range []unit.BitRate{unit.GigabitPerSecond, 10 * unit.GigabitPerSecond} {
		if got := measure.RateAbove(rate, "nas", p); len(got) != 0 {
			t.Errorf("%s: %q", rate, got)
		}
	}
	if got := measure.RateAbove(unit.GigabitPerSecond, "nas", &plan.Port{}); len(got) != 0 {
		t.Errorf("unknown speed: %q", got)
	}
}

// So is a pace above the link's rate.
func TestPaceAboveTheLinks(t *testing.T) {
	for pace, warned := range map[string]bool{"": false, "1G": false, "999M": false, "1001M": true, "10G": true} {
		got := measure.Flags{Settings: setting.Flags{}.With("pace", pace)}.PaceAbove(unit.GigabitPerSecond)
		if (len(got) == 1) != warned || warned && !strings.Contains(got[0], "above the link's rate, 1.00 Gb/s") {
			t.Errorf("--pace %s: %q", pace, got)
		}
	}
	if got := (measure.Flags{Settings: setting.Flags{}.With("pace", "10G")}).PaceAbove(0); len(got) != 0 {
		t.Errorf("unknown rate: %q", got)
	}
}

// The two ends' monotonic clocks are a day apart: only differences of each count.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		missing(t, "the program unshare (Debian: util-linux)")
	}
	w := twoHosts(t)
	l := w.listen(t, w.b, "10.77.0.2:0", unshare, "--time", "--monotonic", "86400", "--boottime", "86400", "--fork")
	cmd := exec.Command("ip", "netns", "exec", w.a, w.program(t), "measure", "latency", l.url, "--to-address", "10.77.0.2",
		"--time", "500ms", "--repeats", "1", "--json")
	cmd.Dir, cmd.Env = w.dir, w.env
	a := finish(t, cmd).ends(t, cli.ExitDone)
	if x := one(t, a); x.Latency == nil || x.Latency.P50 <= 0 || x.Latency.P50 > 3600 {
		t.Errorf("latency %+v", x.Latency)
	}
}
