package network

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/failure"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// routed is two hosts with an MTU of 9000 and a router between them with an MTU of 1500 towards the second. Only the
// first has an agent.
type routed struct {
	names [3]string // from, router, to
	from  *agent.Client
}

func newRouted(t *testing.T) *routed {
	t.Helper()
	mayMakeNamespaces(t, "ip", "nft", "sysctl")
	r := &routed{}
	for i := range r.names {
		r.names[i] = namespaceName()
		inShell(t, "ip", "netns", "add", r.names[i])
		t.Cleanup(func() { inShell(t, "ip", "netns", "del", r.names[i]) })
		inShell(t, "ip", "-n", r.names[i], "link", "set", "lo", "up")
	}
	for i, end := range []int{0, 2} {
		far, near := r.names[end], fmt.Sprintf("side%d", i)
		inShell(t, "ip", "link", "add", "wire", "netns", far, "mtu", "9000", "type", "veth", "peer", "name", near, "netns",
			r.names[1], "mtu", "9000")
		for _, a := range []struct{ ns, device, four, six string }{
			{far, "wire", fmt.Sprintf("10.78.%d.1/24", i), fmt.Sprintf("fd78:%d::1/64", i)},
			{r.names[1], near, fmt.Sprintf("10.78.%d.9/24", i), fmt.Sprintf("fd78:%d::9/64", i)}} {
			inShell(t, "ip", "-n", a.ns, "addr", "add", a.four, "dev", a.device)
			inShell(t, "ip", "-n", a.ns, "addr", "add", a.six, "dev", a.device, "nodad")
			inShell(t, "ip", "-n", a.ns, "link", "set", a.device, "up")
		}
		inShell(t, "ip", "-n", far, "route", "add", "default", "via", fmt.Sprintf("10.78.%d.9", i))
		inShell(t, "ip", "-n", far, "-6", "route", "add", "default", "via", fmt.Sprintf("fd78:%d::9", i))
	}
	inShell(t, "ip", "netns", "exec", r.names[1], "sysctl", "-q", "-w", "net.ipv4.ip_forward=1",
		"net.ipv6.conf.all.forwarding=1")
	r.from = agentIn(t, r.names[0])
	return r
}

func (r *routed) router(t *testing.T, words ...string) {
	t.Helper()
	inShell(t, append([]string{"ip", "netns", "exec", r.names[1]}, words...)...)
}

// The path's MTU is found to the byte: on a good path, where the router reports what fits, and where it is silent.
func TestICMPPathMTU(t *testing.T) {
	t.Parallel()
	r := newRouted(t)
	for _, c := range []struct {
		name       string
		mtu        int // of the router towards the second host
		silent     bool
		group      bool // users may ping
		four       string
		six        string
		want, hops int
	}{
		{"whole", 9000, false, false, "10.78.1.1", "fd78:1::1", 9000, 0},
		{"named", 1500, false, true, "10.78.1.1", "fd78:1::1", 1500, 1},
		{"silent", 1400, true, false, "10.78.1.1", "fd78:1::1", 1400, 0},
	} {
		inShell(t, "ip", "-n", r.names[1], "link", "set", "side1", "mtu", fmt.Sprint(c.mtu))
		allowed := "1 0"
		if c.group {
			allowed = "0 2147483647"
		}
		inShell(t, "ip", "netns", "exec", r.names[0], "sysctl", "-q", "-w", "net.ipv4.ping_group_range="+allowed)
		if c.silent {
			r.router(
				t,
				"nft",
				"add table inet quiet; add chain inet quiet out { type filter hook output priority 0; }; add rule inet quiet "+
					"out icmp type destination-unreachable drop; add rule inet quiet out icmpv6 type packet-too-big drop",
			)
		}
		for _, family := range []string{"4", "6"} {
			t.Run(c.name+" IPv"+family, func(t *testing.T) {
				inShell(
					t,
					"ip",
					"-n",
					r.names[0],
					"-"+family,
					"route",
					"flush",
					"cache",
				) // forget what an earlier case learned
				from, to, hop := "10.78.0.1", c.four, "10.78.0.9"
				if family == "6" {
					from, to, hop = "fd78::1", c.six, "fd78::9"
				}
				s := Spec{Method: "latency", Streams: 2, PathMTU: true,
					Warmup: 50 * time.Millisecond, Interval: 2 * time.Second, Every: 10 * time.Millisecond,
					FromAddr: netip.MustParseAddr(from), ToAddr: netip.MustParseAddr(to), FromHost: "a", ToHost: "b"}
				rep, _, err := repeatICMP(t, r.from, s)
				if err != nil {
					t.Fatal(err)
				}
				m := rep.PathMTU
				if m == nil {
					t.Fatal("no path MTU")
				}
				t.Logf("%+v; %v; %d round trips, p50 %v", *m, rep.InEffect, rep.RTTSamples, rep.P50)
				fails := c.want + 1
				if c.want == 9000 {
					fails = 0
				}
				if m.Bytes != c.want || m.Fails != fails || m.Device != 9000 || m.Silent != c.silent {
					t.Errorf("%+v, want %d", *m, c.want)
				}
				if (m.Hop == hop) != (c.hops > 0) || c.hops > 0 && (m.Reported != c.want || m.Kernel != c.want) {
					t.Errorf("%+v, want the hop %s", *m, hop)
				}
				if want := map[bool]string{true: "datagram", false: "raw"}[c.group]; rep.InEffect["icmp_socket"] != want {
					t.Errorf("the socket is %q, want %s", rep.InEffect["icmp_socket"], want)
				}
				if rep.RTTSamples == 0 || rep.P50 <= 0 || len(rep.Streams) != 2 {
					t.Errorf("%d round trips, %+v", rep.RTTSamples, rep.Streams)
				}
				e := &record.Experiment{Method: "latency", Settings: map[string]string{}, Repeats: []record.Repeat{rep}}
				if err := (&latency{newPair(&experiment.Combination{Record: e}, "latency")}).Summarize(); err != nil ||
					e.PathMTU != m ||
					e.Latency == nil ||
					e.Open == nil ||
					e.Pairs == nil {
					t.Errorf("%+v, %v", e, err)
				}
			})
		}
	}
}

// Lost echoes are counted, and errors have a next step.
func TestICMPTrouble(t *testing.T) {
	t.Parallel()
	r := newRouted(t)
	s := Spec{Method: "latency", Streams: 1, Warmup: 50 * time.Millisecond, Interval: time.Second,
		Every: 4 * time.Millisecond, FromAddr: netip.MustParseAddr("10.78.0.1"),
		ToAddr: netip.MustParseAddr("10.78.1.1"), FromHost: "a", ToHost: "b"}
	t.Run("lost", func(t *testing.T) {
		r.router(
			t,
			"nft",
			"add table inet lossy; add chain inet lossy f { type filter hook forward priority 0; }; add rule inet lossy f "+
				"icmp type echo-request numgen inc mod 10 == 3 counter drop",
		)
		defer r.router(t, "nft", "delete table inet lossy")
		rep, _, err := repeatICMP(t, r.from, s)
		if err != nil {
			t.Fatal(err)
		}
		// The firewall has also dropped echoes before the interval.
		m := regexp.MustCompile(`counter packets (\d+)`).
			FindStringSubmatch(inShell(t, "ip", "netns", "exec", r.names[1], "nft", "list", "table", "inet", "lossy"))
		if m == nil {
			t.Fatal("no counter")
		}
		dropped, _ := strconv.ParseInt(m[1], 10, 64)
		if st := rep.Streams[0]; *st.Datagrams == 0 || *st.Datagrams > 250 || *st.Lost == 0 || dropped == 0 ||
			*st.Lost > dropped || rep.RTTSamples+*st.Lost != *st.Datagrams {
			t.Errorf("%d of %d lost, %d round trips; %d dropped", *st.Lost, *st.Datagrams, rep.RTTSamples, dropped)
		}
	})
	for _, c := range []struct {
		name, to, says, code string
	}{
		{"nobody", "10.78.1.77", "no answer to 3 echoes", failure.CodeTimeout},
		{"no route", "10.99.0.1", "on the way:", failure.CodeTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s
			s.ToAddr = netip.MustParseAddr(c.to)
			_, _, err := repeatICMP(t, r.from, s)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			t.Log(err)
		})
	}
	t.Run("too large", func(t *testing.T) {
		s := s
		s.Size = 9000
		_, _, err := repeatICMP(t, r.from, s)
		if err == nil || !strings.Contains(err.Error(), "ask for less") {
			t.Errorf("%v", err)
		}
		t.Log(err)
	})
}
