package rdma_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
	"linerate/rdma"
	"linerate/rdma/rdmatest"
)

// wholeGrid combines every size and number of pairs with every operation, which takes hours.
var wholeGrid = flag.Bool("grid", false, "TestGuestMatrix: take the whole grid")

// guests are two guests with RDMA. With the kind download soft iWARP is built for them.
func guests(t *testing.T, kinds ...testenv.Kind) *rdmatest.Guests {
	t.Helper()
	testenv.Need(t, append(kinds, testenv.Guest)...)
	if _, err := exec.LookPath("qemu-system-x86_64"); err != nil {
		testenv.Missing(t, "qemu-system-x86_64")
	}
	if testenv.Wanted(testenv.Download) {
		build := exec.CommandContext(t.Context(), "go", "run", "../cmd/linerate", "lab", "build", "--modules", "siw")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	folder, err := os.MkdirTemp("", "lv") // short: it contains sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	g, err := rdmatest.Up(t.Context(), "..", folder)
	if errors.Is(err, rdma.ErrNoCompiler) {
		testenv.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Down(); err != nil {
			t.Error(err)
		}
	})
	if slices.Contains(g.Missing, "siw") {
		t.Skipf("the cache has no soft iWARP; %s=guest,download builds it, or linerate lab build --modules siw",
			testenv.Variable)
	}
	return g
}

// emulated are the options for CPUs that QEMU emulates and that the ends share with soft RDMA.
const emulated = "depth=16 inline=64 yield=64 timeout=18 gid=1 cores=0"

func direct(device, transport, op, metric string) rdmatest.Case {
	return rdmatest.Case{Device: device, Transport: transport, Op: op, Metric: metric, Direction: "out", Pairs: 1,
		Size: 64, Options: emulated, Warm: 300 * time.Millisecond, Interval: 400 * time.Millisecond}
}

// cases is every operation, metric, transport and direction, with alternating numbers of pairs and sizes; with all,
// every combination.
func cases(all bool) (cases []rdmatest.Case) {
	for _, way := range [][2]string{{"rxe0", "rc"}, {"rxe0", "ud"}, {"siw0", "cm"}, {"rxe0", "cm"}} {
		for _, op := range []string{"write", "read", "send"} {
			for _, metric := range []string{"latency", "goodput"} {
				for _, direction := range []string{"out", "in", "both"} {
					if way[1] == "ud" && op != "send" || metric == "latency" && direction == "both" {
						continue
					}
					for i, pairs := range []int{1, 2, 8} {
						for j, size := range []int{1, 64, 4096, 65536} {
							if way[1] == "ud" && size > 1024 || !all && (i+j+len(cases))%5 != 0 {
								continue
							}
							c := direct(way[0], way[1], op, metric)
							c.Direction, c.Pairs, c.Size, c.Listener = direction, pairs, size, (i+j)%2
							cases = append(cases, c)
						}
					}
				}
			}
		}
	}
	return cases
}

// asked reports which of the ends post the requests.
func asked(c rdmatest.Case) [2]bool {
	return [2]bool{c.Direction != "in", c.Direction != "out"}
}

// holds lists contradictions between the outputs of both ends.
func holds(c rdmatest.Case, o rdmatest.Outcome) (wrong []string) {
	bad := func(form string, args ...any) { wrong = append(wrong, fmt.Sprintf(form, args...)) }
	for i, ran := range o.Ran {
		asks, answers := asked(c)[i], asked(c)[1-i]
		ops, bytes, in := rdmatest.Sum(ran, "pair", "ops"), rdmatest.Sum(ran, "pair",
			"bytes"), rdmatest.Sum(ran, "pair", "in")
		if bytes != ops*uint64(c.Size) {
			bad("%d operations and %d bytes", ops, bytes)
		}
		var slices uint64
		pairs := 0
		for _, line := range ran {
			if rest, ok := strings.CutPrefix(line, "slices n="); ok {
				pairs++
				_, list, _ := strings.Cut(rest, " ")
				for text := range strings.SplitSeq(list, ",") {
					var n uint64
					fmt.Sscan(text, &n)
					slices += n
				}
			}
		}
		want := bytes
		if c.Metric == "latency" {
			want = ops
		}
		if slices != want || pairs != c.Pairs {
			bad("%d slices' lines with %d in all, of %d", pairs, slices, want)
		}
		if c.Metric == "latency" && asks {
			_, count := rdmatest.RTTSamples(ran)
			var n uint64
			for _, times := range count {
				n += times
			}
			if n != ops {
				bad("%d trips in the histograms, of %d", n, ops)
			}
		}
		if c.Metric == "goodput" && !asks && ops != 0 {
			bad("the end that asks for nothing counts %d operations", ops)
		}
		if (in != 0) && (c.Op != "send" || c.Metric == "latency" || !answers) {
			bad("%d bytes received", in)
		}
	}
	return wrong
}

// Every case ends at both ends by itself, and their counts agree. The flag -grid takes the whole grid.
func TestGuestMatrix(t *testing.T) {
	g := guests(t, testenv.Long)
	for _, c := range cases(*wholeGrid) {
		o, err := g.Run(t.Context(), c)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		for _, w := range holds(c, o) {
			t.Errorf("%v: %s", c, w)
		}
	}
	left(t, g)
}

// left checks that no resource of a device is in use any more.
func left(t *testing.T, g *rdmatest.Guests) {
	t.Helper()
	for _, host := range rdmatest.Hosts {
		var rest string
		// The kernel cleans up a killed process with a delay.
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			text, err := g.On(t.Context(), host, `rdma resource show mr; rdma resource show qp | grep linerate; true`)
			if rest = strings.TrimSpace(text); err == nil && !strings.Contains(rest, "linerate") {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if strings.Contains(rest, "linerate") {
			t.Errorf("%s: still registered: %s", host, rest)
		}
	}
}

// One end is killed while it runs, or its interface goes down: the other reports it with the time, keeps its figures,
// and the kernel frees everything. This holds for the requesting end and for the one that only answers, which only sees
// probes.
func TestGuestPeerKilled(t *testing.T) {
	g := guests(t, testenv.Long)
	for _, c := range []rdmatest.Case{direct("rxe0", "rc", "write", "latency"), direct("rxe0", "rc", "write", "goodput"),
		direct("rxe0", "rc", "read", "latency"),
		direct("rxe0", "rc", "read", "goodput"), direct("rxe0", "rc", "send", "goodput"), direct("siw0", "cm", "write",
			"goodput"), direct("siw0", "cm", "read", "goodput"),
		direct("siw0", "cm", "send", "latency")} {
		for victim := range 2 {
			for _, end := range []string{"killed", "down"} {
				if end == "down" && (c.Op != "write" || c.Metric != "goodput") &&
					(c.Op != "send" || c.Metric != "latency") {
					continue
				}
				breaks(t, g, c, victim, end)
			}
		}
	}
	left(t, g)
}

// flows waits until packets of the interval go over an interface of a guest.
func flows(t *testing.T, g *rdmatest.Guests, host, over string) {
	packets := func() int {
		text, err := g.On(t.Context(), host, "cat /sys/class/net/"+over+"/statistics/tx_packets")
		n, nerr := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || nerr != nil {
			t.Error(err, nerr)
		}
		return n
	}
	const warm = 2 * time.Second // by then the interval has begun
	before := -1
	for start := time.Now(); time.Since(start) < 3*time.Minute; time.Sleep(100 * time.Millisecond) {
		n := packets()
		if before < 0 && time.Since(start) > warm {
			before = n
		}
		if before >= 0 && n >= before+200 {
			return
		}
	}
	t.Errorf("%s: nothing goes over %s", host, over)
}

// breaks runs a case in which an end ends, or loses its link, when data flows. The interval is far longer than the
// test.
func breaks(t *testing.T, g *rdmatest.Guests, c rdmatest.Case, victim int, end string) {
	t.Helper()
	const patience = 5 * time.Minute
	c.Options = strings.Replace(emulated, "timeout=18", "timeout=14", 1)
	c.Interval = time.Hour
	host, over := rdmatest.Hosts[victim], map[string]string{"rxe0": "roce", "siw0": "tcp"}[c.Device]
	c.During = func(ends [2]*rdmatest.End) {
		flows(t, g, host, over)
		command := "kill -9 $(pidof linerate-verbs)"
		switch {
		case end == "down":
			command = "ip link set " + over + " down"
		case c.Op == "read" && c.Metric == "latency": // it ends with its input in any case
			ends[victim].End()
			return
		}
		if _, err := g.On(t.Context(), host, command); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience) // less than the interval: the case must not end by itself
	o, err := g.Run(ctx, c)
	cancel()
	if end == "down" {
		if _, err := g.On(t.Context(), host, "ip link set "+over+" up; sleep 3"); err != nil {
			t.Error(err)
		}
	}
	for i, ran := range o.Ran {
		if i == victim && end == "killed" {
			continue
		}
		name := fmt.Sprintf("%v, %s %s, what %s says", c, host, end, rdmatest.Hosts[i])
		if err == nil || len(ran) == 0 {
			t.Errorf("%s: nothing within %v: %v", name, patience, err)
			continue
		}
		last := ran[len(ran)-1]
		step := rdmatest.Value(last, "step")
		if !strings.HasPrefix(last, "error ") || !slices.Contains([]string{"completion", "post", "peer"}, step) ||
			step == "completion" && rdmatest.Value(last, "status") == "0" ||
			rdmatest.Value(last, "at") == "" {
			t.Errorf("%s: %q", name, last)
		}
		if end == "down" && i == victim && !strings.Contains(last, "is in state DOWN now") {
			t.Errorf("%s: nothing of its link: %q", name, last)
		}
		counted := rdmatest.Sum(ran, "pair", "ops") + rdmatest.Sum(ran, "pair", "in")
		if counted == 0 && (asked(c)[i] || c.Op == "send" || c.Metric == "latency" && c.Op == "write") {
			t.Errorf("%s: what was measured is gone: %q", name, ran)
		}
		t.Logf("%s: %d operations, then %s", name, counted, last)
	}
}

// Each of these is refused with a message of its own, and the next step.
func TestGuestBadInput(t *testing.T) {
	g := guests(t)
	open := func(more string) string {
		words := map[string]string{"device": "rxe0", "port": "1", "gid": "1", "transport": "rc", "op": "write",
			"metric": "latency", "role": "from", "direction": "out", "pairs": "1", "size": "8"}
		for word := range strings.SplitSeq(more, " ") {
			if k, v, ok := strings.Cut(word, "="); ok {
				words[k] = v
			}
		}
		line := "open"
		for k, v := range words {
			line += " " + k + "=" + v
		}
		return line
	}
	nobody := "ulimit -l 64; grep -q nobody /etc/passwd || echo nobody:x:65534:65534::/:/bin/sh >> /etc/passwd; " +
		"busybox su nobody -s /bin/sh -c "
	unknownPeer := "peer n=0 qpn=17 psn=1 rkey=1 addr=4096 lid=0 gid=00000000000000000000ffff0a090909 mtu=1024 rd=1"
	listen := "listen address=10.0.1.1 token=0123456789abcdef"
	for _, c := range []struct{ before, lines, says string }{
		{"", open("device=mlx5_9"), "no RDMA device mlx5_9; there are: "},
		{"", open("port=2"), "device rxe0 has 1 port(s), no port 2"},
		{"", open("gid=2000"), "GIDs, no index 2000"},
		{"", open("gid=900"), "GID 900 of port 1 of rxe0 is empty"},
		{"", open("mtu=4096"), "a path MTU of 4096 is asked for, and port 1 of rxe0 has 1024 in effect"},
		{"", open("transport=ud op=send size=1025"), "it has to fit one packet of 1024"},
		{"", open("device=siw0"), "siw0 speaks iWARP, which connects through rdma_cm alone"},
		{"", open("pairs=4096 size=1073741824"), "more than three quarters of this machine's"},
		{"", open("cores=17"), "no thread can run on core 17"},
		{nobody, open("size=1048576"), "cannot be registered: Cannot allocate memory; locked memory is limited to 65536 " +
			"bytes: ulimit -l unlimited"},
		{"ip link set roce down; ", open(""), "is in state DOWN"},
		{"ip link set roce up; sleep 2; ", open("") + "\n" + unknownPeer + "\nconnect", "no way to the other end's GID"},
		{"", open("") + "\nconnect", "the other end's pair 0 was not told"},
		{"", open("mtu=512") + "\n" + unknownPeer + "\nconnect", "a path MTU of 512 is asked for here, and the other end " +
			"has 1024"},
		{"", open("") + "\n" + strings.Replace(unknownPeer, "n=0", "n=1", 1), "n=1: it goes from 0 to 0"},
		{"", open("device=siw0 transport=cm") + "\nlisten address=10.9.9.9 token=0123456789abcdef", "address 10.9.9.9 " +
			"cannot be listened on"},
		{"", open("device=siw0 transport=cm") + "\nlisten address=10.0.2.1 token=0123456789abcdef", "the address belongs " +
			"to rxe0, not siw0"},
		{"", open("device=siw0 transport=cm") + "\nlisten address=10.0.1.1 token=01", "token=01: it has 16 to 64 " +
			"hexadecimal digits"},
		{"", open("device=siw0 transport=cm") + "\n" + listen + "\n" + listen, "listen or dial was said already"},
		{"", open("device=siw0 transport=cm") + "\ndial address=10.0.1.2 port=9 token=0123456789abcdef\nconnect",
			"nobody takes the connection"},
		{"", open("device=siw0 transport=cm") + "\nconnect", "listen or dial comes before connect"},
	} {
		// Both ends of the input are open in this process, so that it does not end.
		out, err := g.On(
			t.Context(),
			"a",
			fmt.Sprintf(
				"rm -f /run/in; mkfifo /run/in; exec 3<>/run/in; printf '%s\\n' >&3; timeout 60 sh -c '%s; echo code $?' <&3",
				strings.ReplaceAll(c.lines, "\n", "\\n"), c.before+rdmatest.Program),
		)
		if err != nil || !strings.Contains(out, c.says) || !strings.Contains(out, "code 1") ||
			!strings.Contains(out, "error step=") {
			t.Errorf("%s%q: %v, want %q: %s", c.before, c.lines, err, c.says, out)
		}
	}
	left(t, g)
}

// A connection with a wrong token is refused, and one with the right token accepted.
func TestGuestToken(t *testing.T) {
	g := guests(t)
	lines := open8("from") + `\nlisten address=10.0.1.1 token=00112233445566778899\nconnect\n`
	dial := func(token, role string) string {
		return fmt.Sprintf(
			`(printf '%s\ndial address=10.0.1.1 port='$(cat /run/port)' token=%s\nconnect\n'; sleep 3) | timeout 60 %s`,
			open8(role), token, rdmatest.Program)
	}
	out, err := g.On(
		t.Context(),
		"a",
		fmt.Sprintf(
			`rm -f /run/said; (printf '%s'; sleep 15) | %s > /run/said & sleep 2; sed -n 's/listening port=//p' /run/said > /run/port
%s; %s; sleep 1; echo; cat /run/said`,
			lines,
			rdmatest.Program,
			dial("00112233445566778898", "to"),
			dial("00112233445566778899", "to"),
		),
	)
	if err != nil || strings.Count(out, "the other end refuses the connection: it waits for another token") != 1 ||
		strings.Count(out, "connected mtu=") != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

func open8(role string) string {
	return "open device=siw0 port=1 transport=cm op=write metric=latency direction=out pairs=1 size=8 yield=64 role=" +
		role
}
