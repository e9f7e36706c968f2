package network

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// namespaces are two network namespaces joined by a veth pair, with an agent in each.
type namespaces struct {
	names    [2]string
	from, to *agent.Client
}

func newNamespaces(t *testing.T, tools ...string) *namespaces {
	t.Helper()
	mayMakeNamespaces(t, append(tools, "ip", "nft")...)
	n := &namespaces{}
	for i := range n.names {
		n.names[i] = namespaceName()
	}
	for _, name := range n.names {
		inShell(t, "ip", "netns", "add", name)
		t.Cleanup(func() { inShell(t, "ip", "netns", "del", name) })
	}
	inShell(t, "ip", "link", "add", "wire", "netns", n.names[0], "type", "veth", "peer", "name", "wire", "netns",
		n.names[1])
	for i, name := range n.names {
		inShell(t, "ip", "-n", name, "addr", "add", fmt.Sprintf("10.78.9.%d/24", i+1), "dev", "wire")
		inShell(t, "ip", "-n", name, "addr", "add", fmt.Sprintf("fd78::%d/64", i+1), "dev", "wire", "nodad")
		inShell(t, "ip", "-n", name, "link", "set", "wire", "up")
	}
	n.from, n.to = agentIn(t, n.names[0]), agentIn(t, n.names[1])
	return n
}

// drop makes a namespace drop one in n of the datagrams of an interval that it receives, and returns how many that was.
func (n *namespaces) drop(t *testing.T, name string, one int, size, headers int) (dropped func() int64) {
	t.Helper()
	in := func(words ...string) string {
		return inShell(t, append([]string{"ip", "netns", "exec", name, "nft"}, words...)...)
	}
	in("add", "table", "inet", "lossy")
	in("add", "chain", "inet", "lossy", "in", "{ type filter hook input priority 0; }")
	// The first two bytes of a datagram are its kind (d) and its mark (1: of the interval).
	in("add", "rule", "inet", "lossy", "in", "meta", "l4proto", "udp", "@th,64,16", "0x6401", "numgen", "inc", "mod",
		strconv.Itoa(one), "==", "0", "counter", "drop")
	counter := regexp.MustCompile(`counter packets (\d+) bytes (\d+)`)
	return func() int64 {
		m := counter.FindStringSubmatch(in("list", "table", "inet", "lossy"))
		if m == nil {
			t.Fatal("no counter")
		}
		in("delete", "table", "inet", "lossy")
		packets, _ := strconv.ParseInt(m[1], 10, 64)
		bytes, _ := strconv.ParseInt(m[2], 10, 64)
		return (bytes - packets*int64(headers)) / int64(size) // a merged packet is several datagrams
	}
}

// The datagrams that a firewall drops and counts are exactly those that are reported lost: in both directions at once,
// merged by the kernel or not, over IPv4 and IPv6. Datagrams that a socket's full buffer dropped meanwhile are lost,
// too. At this pace a sender that gets no CPU for seconds has less to catch up than the queue of a core holds (1000
// packets), whose drops cannot be attributed to a namespace.
func TestInjectedLoss(t *testing.T) {
	t.Parallel()
	n := newNamespaces(t)
	for _, c := range []struct {
		name, direction, send string
		one, streams          int
		six                   bool
	}{
		{"single", traffic.Out, traffic.UDPMmsg, 50, 1, false},
		{"merged", traffic.Out, traffic.UDPGSO, 7, 1, false},
		{"in", traffic.In, "", 10, 2, false},
		{"both", traffic.Both, "", 10, 2, false},
		{"IPv6", traffic.Out, "", 10, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Spec{Method: "throughput", Direction: c.direction, Streams: c.streams, Warmup: 100 * time.Millisecond,
				Interval: time.Second, FromAddr: netip.MustParseAddr("10.78.9.1"), ToAddr: netip.MustParseAddr("10.78.9.2"),
				FromHost: "a", ToHost: "b", Pace: 8e6, Transport: traffic.UDP, UDP: traffic.UDPOptions{Send: c.send}}
			size, headers := 1472, 28
			if c.six {
				s.FromAddr, s.ToAddr, size, headers = netip.MustParseAddr("fd78::1"), netip.MustParseAddr("fd78::2"), 1452, 48
			}
			dropped := map[string]func() int64{"in": n.drop(t, n.names[0], c.one, size, headers),
				"out": n.drop(t, n.names[1], c.one, size, headers)}
			full := map[string]func() int64{"in": fullBuffers(t, n.names[0]), "out": fullBuffers(t, n.names[1])}
			r, _, err := repeat(t, n.from, n.to, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			lost := map[string]int64{}
			for _, st := range r.Streams {
				lost[st.Direction] += *st.Lost
				if *st.Missing != *st.Lost || *st.Reordered != 0 || *st.Duplicated != 0 || *st.Datagrams == 0 {
					t.Errorf("stream %d: lost %d, missing %d, reordered %d, duplicated %d of %d", st.Index, *st.Lost, *st.Missing,
						*st.Reordered, *st.Duplicated, *st.Datagrams)
				}
			}
			for direction, count := range dropped {
				want, more := count(), full[direction]()
				if lost[direction] < want || lost[direction] > want+more ||
					want == 0 != (c.direction != traffic.Both && direction != c.direction) {
					t.Errorf("%s: lost %d, thrown away %d by the firewall and %d by sockets", direction, lost[direction], want, more)
				}
			}
			t.Logf("lost %v of %d; %v; %s", lost, *r.Streams[0].Datagrams, r.InEffect, rates(r))
		})
	}
	t.Run("latency", func(t *testing.T) {
		// Every tenth request is dropped: the first byte of a request is q.
		inShell(
			t,
			"ip",
			"netns",
			"exec",
			n.names[1],
			"nft",
			"add table inet lossy; add chain inet lossy in { type filter hook input priority 0; }; add rule inet lossy in "+
				"meta l4proto udp @th,64,16 0x7101 numgen inc mod 10 == 3 counter drop",
		)
		s := Spec{Method: "latency", Direction: traffic.Out, Streams: 1, Interval: time.Second,
			Every: 10 * time.Millisecond, FromAddr: netip.MustParseAddr("10.78.9.1"),
			ToAddr: netip.MustParseAddr("10.78.9.2"), FromHost: "a", ToHost: "b", Transport: traffic.UDP}
		r, _, err := repeat(t, n.from, n.to, s, nil)
		text := inShell(t, "ip", "netns", "exec", n.names[1], "nft", "list", "table", "inet", "lossy")
		if err != nil {
			t.Fatal(err)
		}
		if lost := r.Streams[0].Lost; lost == nil || *lost == 0 ||
			!strings.Contains(text, fmt.Sprintf("counter packets %d ", *lost)) {
			t.Errorf("lost %v of %d, %d round trips; the firewall: %s", *lost, *r.Streams[0].Datagrams, r.RTTSamples, text)
		}
	})
}

// fullBuffers returns a function that counts the datagrams that sockets of a namespace dropped since, for lack of
// space.
func fullBuffers(t *testing.T, name string) (dropped func() int64) {
	t.Helper()
	read := func() (sum int64) {
		t.Helper()
		text := inShell(t, "ip", "netns", "exec", name, "cat", "/proc/net/snmp", "/proc/net/snmp6")
		var names []string
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			switch {
			case len(f) == 2 && f[0] == "Udp6RcvbufErrors":
				n, _ := strconv.ParseInt(f[1], 10, 64)
				sum += n
			case len(f) > 2 && f[0] == "Udp:" && names == nil:
				names = f
			case len(f) > 2 && f[0] == "Udp:":
				if at := slices.Index(names, "RcvbufErrors"); at > 0 && at < len(f) {
					n, _ := strconv.ParseInt(f[at], 10, 64)
					sum += n
				}
			}
		}
		return sum
	}
	before := read()
	return func() int64 { return read() - before }
}

func rates(r record.Repeat) string {
	return fmt.Sprintf("out %.1f Mb/s, in %.1f Mb/s", r.Forward/1e6, r.Backward/1e6)
}
