package explain_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/explain"
	"linerate/internal/record"
)

// recorded is a run of one experiment with its captures, as a lab left it: host1 sends to host2 over cardp1. The test
// may change it before it asks for the verdict.
type recorded struct {
	run      *record.Run
	exp      *record.Experiment
	captures map[string]string // by name in the run folder
}

// load reads a recorded run that was made by hand.
func load(t *testing.T, name string) *recorded {
	t.Helper()
	r := loadAny(t, name)
	if len(r.exp.Repeats) != 1 {
		t.Fatalf("%s: want one repeat", name)
	}
	return r
}

// loadAny is load for more repeats.
func loadAny(t *testing.T, name string) *recorded {
	t.Helper()
	run := explain.RunOf(t, "made/"+name)
	r := &recorded{run: run, captures: explain.CapturesOf(t, "made/"+name)}
	if len(run.Experiments) != 1 {
		t.Fatalf("%s: want one experiment", name)
	}
	r.exp = run.Experiments[0]
	return r
}

// verdict explains the run as it is now.
func (r *recorded) verdict(t *testing.T) *record.Verdict {
	t.Helper()
	explain.Run(explain.PlanOf(t, r.run), r.run, func(name string) ([]byte, error) {
		if text, ok := r.captures[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	})
	if r.exp.Verdict == nil {
		t.Fatal("no verdict")
	}
	v := r.exp.Verdict
	texts := []string{v.Sentence, v.Fix, v.NextCeiling}
	for _, e := range v.Evidence {
		texts = append(texts, e.Text)
	}
	for _, text := range texts {
		if powers.MatchString(text) {
			t.Errorf("a figure that nobody reads aloud: %s", text)
		}
	}
	return v
}

// powers is a number as programs write it, 1.64e+05.
var powers = regexp.MustCompile(`[0-9]e[+-][0-9]`)

// busyTo takes from a core what it was busy above a share.
func busyTo(share float64) func(*record.CPU) {
	return func(u *record.CPU) {
		part := min(1, share/(u.User+u.System+u.SoftIRQ+u.IRQ))
		u.User, u.System, u.SoftIRQ, u.IRQ = u.User*part, u.System*part, u.SoftIRQ*part, u.IRQ*part
		u.Idle = 1 - u.Steal - u.User - u.System - u.SoftIRQ - u.IRQ
	}
}

// busyWith leaves a share of what a core, or the measuring processes, did.
func busyWith(share float64) func(*record.CPU) {
	return func(u *record.CPU) {
		u.User, u.System, u.SoftIRQ, u.IRQ = u.User*share, u.System*share, u.SoftIRQ*share, u.IRQ*share
		u.Idle = 1 - u.Steal - u.User - u.System - u.SoftIRQ - u.IRQ
	}
}

// sockets changes both ends of every stream.
func (r *recorded) sockets(change func(sender, receiver *record.Socket)) *recorded {
	for i := range r.exp.Repeats[0].Streams {
		s := &r.exp.Repeats[0].Streams[i]
		change(s.Socket, s.Receiver)
	}
	return r
}

// goodput sets what was measured to a share of the ceiling.
func (r *recorded) goodput(share float64) *recorded {
	v := share * float64(r.exp.Ceiling.Limit)
	rep := &r.exp.Repeats[0]
	r.exp.Goodput = &record.Estimate{Median: v, Low: v, High: v, Interval: "range", Repeats: 1}
	rep.Goodput, rep.Forward = v, v
	for i := range rep.Streams {
		rep.Streams[i].Goodput = v / float64(len(rep.Streams))
	}
	return r
}

// both makes it an experiment of both directions at once, of which each carries a share of its ceiling.
func (r *recorded) both(there, back float64) *recorded {
	r.goodput(there)
	one := float64(r.exp.Ceiling.Limit)
	r.exp.Ceiling.Limit *= 2
	r.exp.Direction, r.exp.Goodput.Median = "both", (there+back)*one
	r.exp.Forward, r.exp.Backward = &record.Estimate{Median: there * one}, &record.Estimate{Median: back * one}
	r.exp.Repeats[0].Backward = back * one
	return r
}

// replace changes a text in the captures of a host; it must be in one of them.
func (r *recorded) replace(t *testing.T, host, old, new string) *recorded {
	t.Helper()
	found := false
	for name, text := range r.captures {
		if strings.HasPrefix(name, "captures/"+host+".") {
			found = found || strings.Contains(text, old)
			r.captures[name] = strings.ReplaceAll(text, old, new)
		}
	}
	if !found {
		t.Fatalf("the captures of %s do not have %q", host, old)
	}
	return r
}

// softnet has the queues of host2's cores drop packets in the course of the experiment, and sets how many they hold.
func (r *recorded) softnet(t *testing.T, dropped int, limit string) *recorded {
	t.Helper()
	for file, text := range r.captures {
		if !strings.HasPrefix(file, "captures/host2.") {
			continue
		}
		n := 0
		if strings.Contains(file, ".after-") {
			n = dropped
		}
		r.captures[file] = text + fmt.Sprintf("-- proc/net/softnet_stat --\n0011a2b3 %08x%s\n-- proc/sys/net/core/netdev_max_backlog --\n%s\n", n, strings.Repeat(" 00000000", 13), limit)
	}
	return r
}

// resent has host1's TCP send segments again in the course of the experiment, some of them in the window.
func (r *recorded) resent(all, window int64) *recorded {
	for file, text := range r.captures {
		if !strings.HasPrefix(file, "captures/host1.") {
			continue
		}
		n := int64(0)
		if strings.Contains(file, ".after-") {
			n = all
		}
		r.captures[file] = text + fmt.Sprintf("-- proc/net/snmp --\nTcp: OutSegs RetransSegs\nTcp: 1000000 %d\n", n)
	}
	return r.sockets(func(s, _ *record.Socket) { s.Retrans, s.DSACKDups = set(window), set[int64](0) })
}

// cores changes the share of every core that was in use, processes what the measuring processes had.
func (r *recorded) cores(change func(*record.CPU)) *recorded {
	for i := range r.exp.Repeats[0].CPU {
		if u := &r.exp.Repeats[0].CPU[i]; u.Core >= 0 {
			change(u)
		}
	}
	return r
}

func (r *recorded) processes(change func(*record.CPU)) *recorded {
	for i := range r.exp.Repeats[0].CPU {
		if u := &r.exp.Repeats[0].CPU[i]; u.Core < 0 {
			change(u)
		}
	}
	return r
}

// fullBuffer is a run on processors that are full, whose send buffer stands at the kernel's own limit, and whose round trips were never short.
func fullBuffer(t *testing.T) *recorded {
	return load(t, "cpu-copy").replace(t, "host1", "4096\t65536\t67108864", "4096\t16384\t4194304").sockets(func(s, r *record.Socket) {
		r.RecvQ = set[int64](0)
		s.SndBuf, s.NotSent, s.MinRTT, s.RTT = set[int64](4194304), set[int64](0), set(0.0006), set(0.002)
		s.RwndLimited, s.SndbufLimited = set(0.0), set(0.1**s.BusySeconds)
	})
}

// steal has a hypervisor give a share of a core to others.
func steal(u *record.CPU, share float64) {
	u.User, u.System, u.SoftIRQ, u.IRQ, u.Steal = u.User*(1-share), u.System*(1-share), u.SoftIRQ*(1-share), u.IRQ*(1-share), share
	if u.Own != nil {
		u.Own = set(*u.Own * (1 - share))
	}
}

// powersave has the receiver say that its processors keep their lowest clock.
func powersave(r *recorded) *recorded {
	for name := range r.captures {
		if strings.Contains(name, "host2.after") || strings.Contains(name, "host2.before") {
			r.captures[name] += "-- grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor --\n/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver:acpi-cpufreq\n/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor:powersave\n"
		}
	}
	return r
}

// clamped is a run whose sender's route has a window of so many segments, all of which are at 20.
func clamped(t *testing.T, segments int) *recorded {
	r := load(t, "route-window").replace(t, "host2", `,"metrics":[{"window":43364}]`, "").
		replace(t, "host1", `"prefsrc":"10.9.1.1","flags":[]`, fmt.Sprintf(`"prefsrc":"10.9.1.1","flags":[],"metrics":[{"cwnd":%d}]`, segments))
	return r.sockets(func(s, _ *record.Socket) { s.Cwnd, s.Unacked, s.RwndLimited = set[int64](20), set[int64](20), set(0.0) })
}

// retransmitted lets the kernel of a host have sent more segments again when the experiment ended.
func (r *recorded) retransmitted(t *testing.T, host string, segments int) *recorded {
	t.Helper()
	name := "captures/" + host + ".after-" + r.exp.ID + ".txtar"
	lines := strings.Split(r.captures[name], "\n")
	for i, line := range lines {
		if names := strings.Fields(line); i+1 < len(lines) && len(names) > 12 && names[0] == "Tcp:" && names[12] == "RetransSegs" {
			values := strings.Fields(lines[i+1])
			values[12] = fmt.Sprint(segments)
			lines[i+1] = strings.Join(values, " ")
			r.captures[name] = strings.Join(lines, "\n")
			return r
		}
	}
	t.Fatalf("%s has no Tcp.RetransSegs", name)
	return nil
}

// captured takes the captures of a recorded run of another fabric, in which the interfaces have other names.
func (r *recorded) captured(t *testing.T, name string) *recorded {
	t.Helper()
	other := load(t, name)
	for file, text := range other.captures {
		r.captures[strings.ReplaceAll(file, other.exp.ID, r.exp.ID)] = strings.ReplaceAll(text, other.exp.Ends[0].Interface, r.exp.Ends[0].Interface)
	}
	return r
}

// with takes the captures of another recorded run in place of its own.
func (r *recorded) with(t *testing.T, name string) *recorded {
	t.Helper()
	other := load(t, name)
	if other.exp.ID != r.exp.ID {
		t.Fatalf("%s is of another experiment", name)
	}
	r.captures = other.captures
	return r
}

// r0 is the repeat of the run with a pace.
func r0(t *testing.T) record.Repeat { return load(t, "app-limited").exp.Repeats[0] }

func set[T any](v T) *T { return &v }

// What labs that were spoiled by hand left behind names its cause, with the counters that show it.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		name, limiter string
		confidence    []string
		counters      []string // of the evidence, in order; the beginning of each
		component     string
		identity      bool
	}{
		{"healthy", "link", []string{"proved"}, []string{"goodput"}, "host1.card.1--host2.card.1", true},
		{"receive-window-cap", "receive-window-cap", []string{"likely", "proved"}, []string{"rwnd_limited", "rcvbuf"}, "host2: receive window", false},
		{"send-buffer-cap", "send-buffer-cap", []string{"likely", "proved"}, []string{"sndbuf", "rtt"}, "host1: send buffer", false},
		{"app-limited", "app-limited", []string{"proved"}, []string{"app_limited"}, "host1: the sending program", true},
		{"paced", "app-limited", []string{"proved"}, []string{"pace", "max_pacing_rate"}, "host1: the pace of its streams", true},
		{"local-shaper", "local-shaper", []string{"proved"}, []string{"tbf rate", "wmem_alloc", "overlimits"}, "host1", true},
		{"wrong-nic", "wrong-nic", []string{"proved"}, []string{"tx_bytes", "tx_bytes", "interface"}, "host1: cardp1", false},
		{"offloads-off", "offloads-off", []string{"likely"}, []string{"tso,gso", "cpu", "tx_packets"}, "host1: cardp1", false},
		{"window-scaling-off", "window-scaling-off", []string{"likely", "proved"}, []string{"wscale", "tcp_window_scaling", "rwnd_limited"}, "host2: window scaling", false},
		{"duplicate-subnet", "duplicate-subnet", []string{"likely", "proved"}, []string{"tx_bytes", "tx_bytes", "interface"}, "host1: cardp1", false},
		{"firewall-cost", "firewall-cost", []string{"likely"}, []string{"rules", "cpu"}, "host2: firewall", false},
		{"cpu-quota", "cpu-quota", []string{"proved"}, []string{"nr_throttled", "own"}, "host2: processor quota of /sys/fs/cgroup/cpu/", true},
		{"slow-source", "app-limited", []string{"likely"}, []string{"app_limited", "busy"}, "host1: the sending program", false},
		{"route-window", "receive-window-cap", []string{"proved"}, []string{"rwnd_limited", "window"}, "host2: the route to 10.9.1.0/24", true},
		{"autotuning-off", "receive-window-cap", []string{"likely", "proved"}, []string{"rwnd_limited", "rcvbuf"}, "host2: receive window", false},
		{"wrong-nic-rule", "wrong-nic", []string{"likely"}, []string{"tx_bytes", "tx_bytes", "rules"}, "host1: fast", false},
		{"slow-receiver", "slow-receiver", []string{"likely"}, []string{"recv_q", "TCPToZeroWindowAdv"}, "host2: the receiving program", false},
		{"other-traffic", "other-traffic", []string{"proved"}, []string{"payload"}, "host2: fast", true},
		{"tx-queue", "tx-queue", []string{"likely", "proved"}, []string{"dropped", "limit", "snd_cwnd"}, "host1: the queue of fast", false},
		{"arp-flux", "arp-flux", []string{"likely"}, []string{"rx_bytes", "rx_bytes", "tx_bytes", "arp_ignore"}, "host2: aux", false},
		{"cpu-copy", "cpu-copy", []string{"likely"}, []string{"cpu", "payload of a packet", "softirq"}, "the processors of host1 and host2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := load(t, c.name)
			v := r.verdict(t)
			if v.Limiter != c.limiter || !slices.Contains(c.confidence, v.Confidence) {
				t.Fatalf("%s (%s), want %s %v: %s", v.Limiter, v.Confidence, c.limiter, c.confidence, v.Sentence)
			}
			var counters []string
			for _, e := range v.Evidence {
				counters = append(counters, e.Counter)
				if e.Host == "" || e.Source == "" || e.Text == "" || e.Before == nil && e.After == nil && e.Counter != "interface" {
					t.Errorf("evidence without a place or a value: %+v", e)
				}
			}
			want := c.counters
			for _, have := range counters {
				if len(want) > 0 && strings.HasPrefix(have, want[0]) {
					want = want[1:]
				}
			}
			if len(want) > 0 {
				t.Errorf("evidence of %v, want %v", counters, c.counters)
			}
			if !strings.Contains(v.Component, c.component) || c.identity && v.Identity == nil || v.Sentence == "" || v.NextCeiling == "" {
				t.Errorf("verdict %+v", v)
			}
			// The lab's own shaper has no undo: it comes back with the lab.
			if c.limiter != "link" && (v.Fix == "" || v.Undo == "" && c.limiter != "local-shaper") {
				t.Errorf("fix %q, undo %q", v.Fix, v.Undo)
			}
			if !strings.Contains(r.run.Sentence, "host1 -> host2") == (c.limiter != "link") {
				t.Errorf("the run's sentence: %s", r.run.Sentence)
			}
			if !slices.Contains(explain.Causes(), v.Limiter) {
				t.Errorf("%s is not in the table of causes", v.Limiter)
			}
		})
	}
}

// What looks like a cause and is none.
func TestNearMisses(t *testing.T) {
	const big = 32 << 20
	for _, c := range []struct {
		name, limiter string
		candidates    []string
		run           func(t *testing.T) *recorded
	}{
		{"just within 3 % of the ceiling", "link", nil, func(t *testing.T) *recorded { return load(t, "healthy").goodput(0.9705) }},
		{"just not", "unexplained", nil, func(t *testing.T) *recorded { return load(t, "healthy").goodput(0.9695) }},
		{"a reading that cannot be", "above-ceiling", nil, func(t *testing.T) *recorded { return load(t, "healthy").goodput(1.02) }},
		{"a pace of the kernel that is not reached", "unexplained", nil, func(t *testing.T) *recorded { return load(t, "paced").goodput(0.3) }},
		{"a link that is full below the pace", "link", nil, func(t *testing.T) *recorded { return load(t, "paced").goodput(0.99) }},
		{"an amount, whose connections end with nothing to send", "unexplained", nil, func(t *testing.T) *recorded {
			r := load(t, "app-limited")
			delete(r.exp.Settings, "pace")
			r.exp.Seconds, r.exp.Settings["amount"] = &record.Estimate{Median: 1, Low: 1, High: 1, Interval: "range", Repeats: 1}, "10MiB"
			return r
		}},
		{"a reading at the edge", "link", nil, func(t *testing.T) *recorded { return load(t, "healthy").goodput(1.005) }},
		{"a full link with offloads off", "link", nil, func(t *testing.T) *recorded { return load(t, "healthy").with(t, "offloads-off") }},
		{"a full link with a small receive buffer", "link", nil, func(t *testing.T) *recorded { return load(t, "healthy").with(t, "receive-window-cap") }},
		{"a full link with a small send buffer", "link", nil, func(t *testing.T) *recorded { return load(t, "healthy").with(t, "send-buffer-cap") }},

		{"a receive buffer below its limit", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "receive-window-cap").replace(t, "host2", "4096\t6144\t6144", "4096\t131072\t33554432")
		}},
		{"a receive buffer at its limit that holds what the path needs", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "receive-window-cap").replace(t, "host2", "4096\t6144\t6144", "4096\t131072\t33554432").
				sockets(func(_, r *record.Socket) { r.RcvBuf = set[int64](big) })
		}},
		{"a reader that does not keep up", "slow-receiver", nil, func(t *testing.T) *recorded {
			return load(t, "receive-window-cap").sockets(func(_, r *record.Socket) { r.RecvQ = r.RcvBuf }).cores(func(u *record.CPU) { u.System /= 2 })
		}},
		{"a reader that does not keep up on a machine that is full", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "receive-window-cap").sockets(func(_, r *record.Socket) { r.RecvQ = r.RcvBuf })
		}},
		{"a sender that seldom waits for the window", "unexplained", nil, func(t *testing.T) *recorded {
			return load(t, "receive-window-cap").sockets(func(s, _ *record.Socket) { s.RwndLimited = set(0.1 * *s.BusySeconds) })
		}},
		{"a receiver without captures", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			r := load(t, "receive-window-cap")
			for name := range r.captures {
				if strings.HasPrefix(name, "captures/host2.") {
					delete(r.captures, name)
				}
			}
			return r
		}},

		{"a full link without window scaling", "link", nil, func(t *testing.T) *recorded {
			return load(t, "healthy").sockets(func(s, _ *record.Socket) { s.WindowScale = set[int64](-1) })
		}},
		{"connections without window scaling that seldom wait for the window, and a processor that is full", "cpu-copy", nil, func(t *testing.T) *recorded {
			return load(t, "window-scaling-off").goodput(0.3).sockets(func(s, _ *record.Socket) { s.RwndLimited = set(0.1 * *s.BusySeconds) })
		}},
		{"window scaling that is on", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "window-scaling-off").sockets(func(s, _ *record.Socket) { s.WindowScale = set[int64](7) })
		}},
		{"a core that is full, and was too hot", "heat", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) { u.Throttled, u.Hz, u.BaseHz = set[int64](40), set(1.2e9), set(3e9) })
		}},
		{"a core that is full, and was too hot before", "cpu-copy", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) { u.Throttled = set[int64](0) })
		}},
		{"a core that was too hot, and has time left", "slow-receiver", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) {
				u.Throttled, u.User, u.System, u.SoftIRQ, u.IRQ, u.Own = set[int64](40), 0.1, 0.2, 0.1, 0, nil
			}).processes(func(u *record.CPU) { u.Threads = nil })
		}},
		{"a full core at a low clock, by a governor that keeps it there", "cpu-power-state", nil, func(t *testing.T) *recorded {
			return powersave(load(t, "cpu-copy")).cores(func(u *record.CPU) { u.Hz, u.BaseHz = set(1.2e9), set(3e9) })
		}},
		{"a full core at its full clock, whatever the governor is called", "cpu-copy", nil, func(t *testing.T) *recorded {
			return powersave(load(t, "cpu-copy")).cores(func(u *record.CPU) { u.Hz, u.BaseHz = set(2.9e9), set(3e9) })
		}},
		{"a full core at a low clock, with a governor that lets it rise", "cpu-copy", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) { u.Hz, u.BaseHz = set(1.2e9), set(3e9) })
		}},
		{"a machine below that gives a third of the time to others", "cpu-quota", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) { steal(u, 0.33) })
		}},
		{"a machine below that gives a tenth of the time to others", "cpu-copy", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) { steal(u, 0.1) })
		}},
		{"time that others have, and time that is left", "slow-receiver", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) {
				steal(u, 0.33)
				u.User, u.System, u.SoftIRQ, u.Own = u.User/2, u.System/2, u.SoftIRQ/2, nil
			}).processes(func(u *record.CPU) { u.Threads = nil })
		}},
		{"many rules and a processor with time left", "unexplained", []string{"firewall-cost"}, func(t *testing.T) *recorded {
			r := load(t, "firewall-cost")
			for i := range r.exp.Repeats[0].CPU {
				u := &r.exp.Repeats[0].CPU[i]
				u.User, u.System, u.SoftIRQ, u.IRQ = 0.1, 0.1, 0.1, 0
			}
			return r
		}},
		{"a full link behind many rules", "link", nil, func(t *testing.T) *recorded { return load(t, "healthy").with(t, "firewall-cost") }},

		{"a processor that is full of other work", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").processes(func(u *record.CPU) { u.User, u.System = u.User/4, u.System/4 }).cores(func(u *record.CPU) { u.Own = set(*u.Own / 4) })
		}},
		{"a processor with time left, before a reader that is late", "slow-receiver", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) { u.System /= 2 })
		}},
		{"a thread that has a core to itself while another is idle", "cpu-copy", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").cores(func(u *record.CPU) { u.System /= 2 }).processes(func(u *record.CPU) {
				u.Threads = []record.Thread{{Kind: "own", Host: "host1", Name: "send 0", Count: 1, System: 0.97}}
			})
		}},
		{"a full processor whose packets are single segments", "cpu-per-packet", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").captured(t, "offloads-off").replace(t, "host1", "-segmentation: off", "-segmentation: on").
				replace(t, "host1", "generic-segmentation-offload: off", "generic-segmentation-offload: on")
		}},
		{"a full processor that hands over little with each call", "cpu-per-request", nil, func(t *testing.T) *recorded {
			r := load(t, "cpu-copy")
			r.exp.Settings["size"] = "256B"
			return r
		}},
		{"packets that overtake each other where no processor has time left", "unexplained", []string{"reordering"}, func(t *testing.T) *recorded {
			return load(t, "reordering").cores(func(u *record.CPU) { u.User += u.Idle }).processes(func(u *record.CPU) { u.System = 0.5 })
		}},
		{"one that hands several of them over with each call", "cpu-copy", nil, func(t *testing.T) *recorded {
			r := load(t, "cpu-copy")
			r.exp.Settings["size"], r.exp.InEffect["udp_per_call"] = "256B", "64"
			return r
		}},
		{"a full processor behind a window without scaling", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").sockets(func(s, _ *record.Socket) { s.SndWnd, s.RwndLimited = set[int64](65535), set(0.5**s.BusySeconds) })
		}},
		{"a sender without time, which the kernel calls the application's doing", "cpu-copy", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").sockets(func(s, _ *record.Socket) {
				s.AppLimited, s.NotSent, s.BusySeconds = set(true), set[int64](0), set(0.3)
			})
		}},

		{"a quota that is seldom used up", "cpu-copy", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-copy").captured(t, "cpu-quota").replace(t, "host2", "cpu.stat:nr_throttled 23", "cpu.stat:nr_throttled 6")
		}},
		{"a group without a quota that waited, before a reader that is late", "slow-receiver", nil, func(t *testing.T) *recorded {
			return load(t, "cpu-quota").replace(t, "host2", "host2/cpu.cfs_quota_us:10100", "host2/cpu.cfs_quota_us:-1")
		}},
		{"a source that is slow on a machine that is full", "unexplained", []string{"app-limited"}, func(t *testing.T) *recorded {
			return load(t, "slow-source").cores(func(u *record.CPU) { u.System += u.Idle }).processes(func(u *record.CPU) { u.System = 0.4 })
		}},
		{"a source that is slow, which the kernel does not call that at the end", "app-limited", nil, func(t *testing.T) *recorded {
			return load(t, "slow-source").sockets(func(s, _ *record.Socket) { s.AppLimited = set(false) })
		}},
		{"a source that works all the time", "unexplained", []string{"app-limited"}, func(t *testing.T) *recorded {
			return load(t, "slow-source").sockets(func(s, _ *record.Socket) { s.AppLimited = set(false) }).cores(func(u *record.CPU) { u.Own = set(0.6) })
		}},
		{"a source that gives nothing", "app-limited", nil, func(t *testing.T) *recorded { return load(t, "slow-source").goodput(0) }},
		{"nothing of a sender that other work may have kept from any time", "unexplained", []string{"app-limited"}, func(t *testing.T) *recorded {
			return load(t, "slow-source").goodput(0).cores(func(u *record.CPU) { u.User += u.Idle })
		}},
		{"a source that is slow beside other work", "app-limited", nil, func(t *testing.T) *recorded {
			return load(t, "slow-source").cores(func(u *record.CPU) { u.User += u.Idle })
		}},
		{"a sender without processor time, of which the kernel does not say that it waited for its program", "unexplained", []string{"app-limited"}, func(t *testing.T) *recorded {
			return load(t, "slow-source").cores(func(u *record.CPU) { u.User += u.Idle }).sockets(func(s, _ *record.Socket) { s.AppLimited = set(false) })
		}},
		{"tuning that is on", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "autotuning-off").replace(t, "host2", "tcp_moderate_rcvbuf --\n0", "tcp_moderate_rcvbuf --\n1")
		}},
		{"a route without a window", "unexplained", []string{"receive-window-cap"}, func(t *testing.T) *recorded {
			return load(t, "route-window").replace(t, "host2", `,"metrics":[{"window":43364}]`, "")
		}},
		{"a congestion window that stands at its route's", "cwnd-clamp", nil, func(t *testing.T) *recorded {
			return clamped(t, 20)
		}},
		{"a congestion window above its route's, which is not locked", "unexplained", []string{"cwnd-clamp"}, func(t *testing.T) *recorded {
			return clamped(t, 19)
		}},
		{"another interface that may not answer for the address", "wrong-nic", nil, func(t *testing.T) *recorded {
			return load(t, "arp-flux").replace(t, "host2", "conf/all/arp_ignore --\n0", "conf/all/arp_ignore --\n1")
		}},
		{"other traffic on a link that has room", "unexplained", []string{"deep-buffer", "shallow-buffer", "random-loss"}, func(t *testing.T) *recorded {
			r := load(t, "other-traffic")
			r.exp.Ceiling.Limit *= 2
			for i := range r.exp.Ceiling.Hops {
				h := &r.exp.Ceiling.Hops[i]
				h.Rate = unit.Known(2 * h.Rate.Or(0))
			}
			return r
		}},
		{"a link that stood still while nobody looked", "unexplained", []string{"deep-buffer", "shallow-buffer", "random-loss"}, func(t *testing.T) *recorded {
			r := load(t, "other-traffic")
			for i := range r.exp.Repeats[0].SeriesOut {
				r.exp.Repeats[0].SeriesOut[i] = 188e6
			}
			r.exp.Repeats[0].SeriesOut[0], r.exp.Repeats[0].SeriesOut[1] = 0, 0
			return r
		}},
		{"a queue that dropped nothing", "unexplained", nil, func(t *testing.T) *recorded {
			return load(t, "tx-queue").replace(t, "host1", `"packets":7260,"drops":14`, `"packets":7260,"drops":0`)
		}},
		{"a queue that dropped three packets", "unexplained", []string{"tx-queue"}, func(t *testing.T) *recorded {
			return load(t, "tx-queue").replace(t, "host1", `"packets":7260,"drops":14`, `"packets":7260,"drops":3`)
		}},
		{"both directions at once at the limit, one a little below", "link", nil, func(t *testing.T) *recorded { return load(t, "healthy").both(0.965, 0.995) }},
		{"both directions at once at the limit, one further below", "unexplained", nil, func(t *testing.T) *recorded { return load(t, "healthy").both(0.945, 0.998) }},
		{"a queue that dropped while more was lost further on", "unexplained", []string{"tx-queue"}, func(t *testing.T) *recorded {
			return load(t, "tx-queue").retransmitted(t, "host1", 500)
		}},

		{"a send buffer below its limit", "unexplained", nil, func(t *testing.T) *recorded {
			return load(t, "send-buffer-cap").replace(t, "host1", "4096\t8192\t8192", "4096\t16384\t33554432")
		}},
		{"a send buffer at its limit that holds what the path needs", "unexplained", nil, func(t *testing.T) *recorded {
			return load(t, "send-buffer-cap").replace(t, "host1", "4096\t8192\t8192", "4096\t16384\t33554432").
				sockets(func(s, _ *record.Socket) { s.SndBuf = set[int64](big) })
		}},
		{"a send buffer at its limit with bytes that wait", "unexplained", []string{"send-buffer-cap"}, func(t *testing.T) *recorded {
			return load(t, "send-buffer-cap").sockets(func(s, _ *record.Socket) {
				s.NotSent, s.SndbufLimited = set(*s.SndBuf/2), set(0.0)
			})
		}},
		{"a send buffer at its limit behind processors that are full", "cpu-copy", nil, func(t *testing.T) *recorded { return fullBuffer(t) }},
		{"a send buffer at its limit on processors with time left", "send-buffer-cap", nil, func(t *testing.T) *recorded {
			return fullBuffer(t).cores(func(u *record.CPU) { u.System /= 2 })
		}},
		{"a send buffer that carries no more over its round trip, on processors that are full", "send-buffer-cap", nil, func(t *testing.T) *recorded {
			return fullBuffer(t).sockets(func(s, _ *record.Socket) { s.MinRTT, s.RTT = set(0.0012), set(0.0015) })
		}},

		{"a source that is slow by itself", "app-limited", nil, func(t *testing.T) *recorded {
			r := load(t, "app-limited").sockets(func(s, _ *record.Socket) { s.BusySeconds, s.NotSent = set(0.3), set[int64](0) })
			delete(r.exp.Settings, "pace")
			return r
		}},
		{"a sender that once had nothing to send", "unexplained", []string{"app-limited"}, func(t *testing.T) *recorded {
			r := load(t, "app-limited").sockets(func(s, _ *record.Socket) { s.BusySeconds = set(r0(t).Seconds) })
			delete(r.exp.Settings, "pace")
			return r
		}},
		{"a rate on the sockets that nobody asked for", "socket-pacing", nil, func(t *testing.T) *recorded {
			r := load(t, "paced")
			delete(r.exp.Settings, "pace")
			return r
		}},
		{"a rate on the sockets that is far above goodput", "unexplained", []string{"socket-pacing"}, func(t *testing.T) *recorded {
			r := load(t, "paced").goodput(0.2)
			delete(r.exp.Settings, "pace")
			return r
		}},
		{"a pace that is not reached", "unexplained", []string{"app-limited"}, func(t *testing.T) *recorded {
			return load(t, "app-limited").goodput(0.1).sockets(func(s, _ *record.Socket) { s.BusySeconds = set(r0(t).Seconds) })
		}},

		{"a shaper whose bucket was full when the window began", "local-shaper", nil, func(t *testing.T) *recorded { return load(t, "local-shaper").goodput(1.02) }},
		{"more than rate and bucket let through", "above-ceiling", nil, func(t *testing.T) *recorded { return load(t, "local-shaper").goodput(1.03) }},
		{"more than a shaper with a small bucket lets through", "above-ceiling", nil, func(t *testing.T) *recorded {
			return load(t, "local-shaper").goodput(1.02).replace(t, "host1", `"burst":131070`, `"burst":13107`)
		}},
		{"a shaper that nothing waits in", "unexplained", []string{"local-shaper"}, func(t *testing.T) *recorded {
			return load(t, "local-shaper").goodput(0.5).sockets(func(s, _ *record.Socket) { s.WmemAlloc = set[int64](0) })
		}},

		{"a shaper that lets twice as much through", "unexplained", []string{"local-shaper"}, func(t *testing.T) *recorded {
			return load(t, "local-shaper").goodput(0.5)
		}},
		{"a shaper that is nearly full", "local-shaper", nil, func(t *testing.T) *recorded { return load(t, "local-shaper").goodput(0.93) }},

		{"another route, but the bytes on the planned card", "link", nil, func(t *testing.T) *recorded { return load(t, "wrong-nic").with(t, "healthy") }},

		{"offloads off with a processor that is late, and not busy all of the time", "offloads-off", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").cores(busyTo(0.75))
		}},
		{"offloads off with a processor that takes what arrives, and is not busy all of the time", "unexplained", []string{"offloads-off"}, func(t *testing.T) *recorded {
			return load(t, "offloads-off").cores(busyTo(0.75)).replace(t, "host2", `"dropped":2835`, `"dropped":0`)
		}},
		{"the same, which the queues of the cores tell", "offloads-off", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").cores(busyTo(0.75)).replace(t, "host2", `"dropped":2835`, `"dropped":0`).softnet(t, 501, "1000")
		}},
		{"the same, where what the queues dropped is all that was sent again", "offloads-off", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").softnet(t, 2835, "1000").resent(2835, 100)
		}},
		{"the same with queues that somebody made short", "backlog-drop", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").softnet(t, 2835, "64").resent(2835, 100)
		}},
		{"the same, all of it while the connections started", "offloads-off", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").softnet(t, 2835, "64").resent(2835, 0)
		}},
		{"a program that works while its connections have nothing to send", "unexplained", []string{"app-limited"}, func(t *testing.T) *recorded {
			return load(t, "slow-source").cores(func(u *record.CPU) { u.Own = set(0.75) })
		}},
		{"offloads off on cores that are full of other processes", "unexplained", []string{"offloads-off"}, func(t *testing.T) *recorded {
			return load(t, "offloads-off").processes(busyWith(0.25)).cores(busyWith(0.25)).cores(func(u *record.CPU) { u.User += u.Idle })
		}},
		{"the same, where the time of each core by process is known", "unexplained", []string{"offloads-off"}, func(t *testing.T) *recorded {
			return load(t, "offloads-off").processes(busyWith(0.25)).cores(busyWith(0.25)).cores(func(u *record.CPU) { u.User, u.Own = u.User+u.Idle, set(0.1) })
		}},
		{"offloads off on a core of which most is of this traffic", "offloads-off", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").cores(func(u *record.CPU) { u.User += u.Idle; u.Own = set(u.System / 2) })
		}},
		{"offloads off beside a core that is full of other processes", "unexplained", []string{"offloads-off"}, func(t *testing.T) *recorded {
			return load(t, "offloads-off").cores(busyWith(0.4)).replace(t, "host2", `"dropped":2835`, `"dropped":0`).cores(func(u *record.CPU) {
				if u.Own = set(u.System / 2); u.Core == 0 {
					u.User, u.Own = u.User+u.Idle, set(0.0)
				}
			})
		}},
		{"offloads off with other processes beside what a switch drops", "unexplained", []string{"offloads-off"}, func(t *testing.T) *recorded {
			return load(t, "switch-drops").cores(func(u *record.CPU) { u.User += u.Idle })
		}},
		{"offloads off with an idle processor", "unexplained", []string{"offloads-off"}, func(t *testing.T) *recorded {
			r := load(t, "offloads-off")
			for i := range r.exp.Repeats[0].CPU {
				u := &r.exp.Repeats[0].CPU[i]
				u.User, u.System, u.SoftIRQ, u.IRQ, u.Idle = u.User/4, u.System/4, u.SoftIRQ/4, u.IRQ/4, 0.75
			}
			return r
		}},
		{"offloads on with a full processor", "cpu-per-packet", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").replace(t, "host1", "-segmentation: off", "-segmentation: on").
				replace(t, "host1", "generic-segmentation-offload: off", "generic-segmentation-offload: on")
		}},
		{"offloads off on the receiver alone", "cpu-per-packet", nil, func(t *testing.T) *recorded {
			return load(t, "offloads-off").replace(t, "host1", "-segmentation: off", "-segmentation: on").
				replace(t, "host1", "generic-segmentation-offload: off", "generic-segmentation-offload: on").
				replace(t, "host2", "-segmentation: on", "-segmentation: off").
				replace(t, "host2", "generic-segmentation-offload: on", "generic-segmentation-offload: off")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.run(t).verdict(t)
			if v.Limiter != c.limiter {
				t.Fatalf("%s (%s), want %s: %s", v.Limiter, v.Confidence, c.limiter, v.Sentence)
			}
			var candidates []string
			for _, x := range v.Candidates {
				if x.Limiter != "app-limited" || slices.Contains(c.candidates, x.Limiter) { // the kernel says so of every sender that once waited
					candidates = append(candidates, x.Limiter)
				}
				if x.Text == "" {
					t.Errorf("the candidate %s does not say why", x.Limiter)
				}
			}
			if !slices.Equal(candidates, c.candidates) {
				t.Errorf("candidates %v, want %v", candidates, c.candidates)
			}
			if c.limiter == "unexplained" && (v.Confidence != "" || v.NextExperiment == "") {
				t.Errorf("confidence %q, next experiment %q", v.Confidence, v.NextExperiment)
			}
		})
	}
}

// A sender from which nothing came handed over nothing, not a rate.
func TestNothingHandedOver(t *testing.T) {
	if v := load(t, "slow-source").goodput(0).verdict(t); v.Limiter != "app-limited" || !strings.Contains(v.Sentence, "it hands over nothing") {
		t.Errorf("%s: %s", v.Limiter, v.Sentence)
	}
}

// Without any capture a healthy run is still its link, and what is not known is said.
func TestWithoutCaptures(t *testing.T) {
	r := load(t, "healthy")
	r.captures = nil
	v := r.verdict(t)
	if v.Limiter != "link" || len(v.Unknown) != 2 {
		t.Errorf("verdict %s, unknown %q", v.Limiter, v.Unknown)
	}
}

// Captures that were cut off anywhere are missing evidence, never a panic or another cause.
func TestCutCaptures(t *testing.T) {
	for _, name := range []string{"receive-window-cap", "send-buffer-cap", "wrong-nic", "offloads-off", "local-shaper"} {
		for _, tenth := range []int{0, 1, 3, 5, 7, 9} {
			t.Run(fmt.Sprintf("%s %d", name, tenth), func(t *testing.T) {
				r := load(t, name)
				for k, text := range r.captures {
					r.captures[k] = text[:len(text)*tenth/10]
				}
				if v := r.verdict(t); v.Limiter != name && v.Limiter != "unexplained" && !(name == "wrong-nic" && v.Limiter == "link") {
					t.Errorf("%s: %s", v.Limiter, v.Sentence)
				}
			})
		}
	}
}

// What a card does not have nobody switched off: the fix has only what can be switched on, and without any of it offloads are no cause.
func TestFixedOffloads(t *testing.T) {
	r := load(t, "offloads-off").replace(t, "host1", "tx-tcp-segmentation: off\n", "tx-tcp-segmentation: off [fixed]\n")
	if v := r.verdict(t); v.Limiter != "offloads-off" || !strings.Contains(v.Fix, "cardp1 gso on") || strings.Contains(v.Fix, "tso") {
		t.Errorf("%s: fix %q", v.Limiter, v.Fix)
	}
	r.replace(t, "host1", "generic-segmentation-offload: off\n", "generic-segmentation-offload: off [fixed]\n")
	if v := r.verdict(t); v.Limiter == "offloads-off" {
		t.Errorf("%s: %s", v.Limiter, v.Fix)
	}
}
