package main

import (
	"linerate/internal/lab/exam"
)

// spoiled is a lab of three.yaml with one fault.
type spoiled struct {
	one
	fast  bool     // links that are faster than the machine, instead of links that are the limit
	edit  []string // of the file: old, new
	spoil [][]string
}

// With no delay between two namespaces even 8 KiB in flight fill 5 Gb/s: a connection or a core is only the bottleneck
// on a link that is faster than the machine.
func (x *examiner) spoiledLab() {
	const nic, peer = "cardp1", "10.0.1.2"
	rules := "{ printf 'table ip f {\\nchain i {\\ntype filter hook input priority 0;\\n'; for i in $(seq 300); do " +
		"echo 'ip saddr 10.9.8.7 accept'; done; printf '}\\n}\\n'; } >$f"
	c := func(name string, truth ...string) one { return one{group: spoiledGroup, name: name, truth: truth} }
	healthy := c("healthy", "link")
	healthy.healthy = true
	for _, s := range []spoiled{
		{one: healthy},
		{one: c("receive-window-cap", "receive-window-cap"), fast: true,
			spoil: [][]string{{"host2", "sysctl", "-w", "net.ipv4.tcp_rmem=4096 6144 6144"}}},
		{one: c("send-buffer-cap", "send-buffer-cap"), fast: true,
			spoil: [][]string{{"host1", "sysctl", "-w", "net.ipv4.tcp_wmem=4096 8192 8192"}}},
		{one: c("app-limited", "app-limited"), edit: []string{"streams: 1", "streams: 1, pace: " + bits(x.near/4) +
			", pace_by: program"}},
		{one: c("paced", "app-limited"), edit: []string{"streams: 1", "streams: 2, pace: " + bits(x.near/5)}},
		{one: c("local-shaper", "local-shaper"), spoil: [][]string{
			{"host1", "tc", "qdisc", "replace", "dev", nic, "root", "tbf", "rate", x.share(0.4), "burst", "128kb", "limit",
				"500kb"}}},
		{one: c("wrong-nic", "wrong-nic"), spoil: [][]string{
			{"host3", "sysctl", "-w", "net.ipv4.ip_forward=1"},
			{"host3", "ip", "route", "replace", peer + "/32", "via", "10.0.3.1"},
			{"host1", "ip", "route", "replace", peer + "/32", "via", "10.0.2.2"}}},
		{one: c("window-scaling-off", "window-scaling-off"), fast: true,
			spoil: [][]string{{"host2", "sysctl", "-w", "net.ipv4.tcp_window_scaling=0"}}},
		{one: c("duplicate-subnet", "duplicate-subnet"), spoil: [][]string{
			{"host3", "sysctl", "-w", "net.ipv4.ip_forward=1"},
			{"host3", "sysctl", "-w", "net.ipv4.conf.all.proxy_arp=1"},
			{"host3", "ip", "route", "replace", peer + "/32", "via", "10.0.3.1"},
			{"host1", "ip", "address", "add", "10.0.1.9/24", "dev", "cardp2"},
			{"host1", "ip", "address", "del", "10.0.1.1/24", "dev", nic}, // added again, its route comes second
			{"host1", "ip", "address", "add", "10.0.1.1/24", "dev", nic}}},
		// In several files: nft sends one in one message, and the kernel takes no message of 3000 rules from an ordinary
		// user's lab.
		{one: c("firewall-cost", "firewall-cost"), fast: true, spoil: [][]string{
			{"host2", "sh", "-c", "f=$(mktemp); " + rules + "; for i in 1 2 3 4 5 6 7 8 9 10; do nft -f $f || exit; done; " +
				"rm $f"}}},
		{one: c("offloads-off", "offloads-off"), fast: true, spoil: [][]string{{"host1", "ethtool", "-K", nic, "tso", "off",
			"gso", "off"}}},
	} {
		if !x.wanted(s.one) {
			continue
		}
		scale := x.nearScale(10e9)
		if s.fast {
			s.edit, scale = faster(x.fast), 1
		}
		x.labOf(s.one, "cmd/linerate/testdata/three.yaml", s.edit, scale, func(l *lab) error {
			if err := l.spoil(s.spoil); err != nil {
				return err
			}
			l.run(s.one)
			return nil
		})
	}
}

// groups judges concurrent flows between many hosts whose links are full.
func (x *examiner) groups() {
	for _, pattern := range []string{"pairs", "halves", "incast", "shuffle"} {
		c := one{"groups", pattern, true, []string{"link"}}
		if x.wanted(c) {
			x.labOf(c, "cmd/linerate/testdata/star.yaml", nil, x.nearScale(10e9), func(l *lab) error {
				l.run(c, "--experiments", pattern)
				return nil
			})
		}
	}
}

// mesh judges the first example of the manual: its twelve streams fill their links, and its goal is met.
func (x *examiner) mesh() {
	links, goal := one{"mesh-10g", "streams", true, []string{"link"}}, one{"mesh-10g", "goal saturated", true,
		[]string{"met"}}
	if !x.wanted(links) && !x.wanted(goal) {
		return
	}
	x.labOf(links, "examples/mesh-10g.yaml", nil, x.nearScale(10e9), func(l *lab) error {
		for range l.tries {
			if l.ctx.Err() != nil {
				return nil
			}
			l.pause()
			folder, args := l.folder(), []string{"run", l.fabric, "--in-lab=" + l.id, "--repeats", "1", "--experiments", "raw"}
			r, err := l.measure(append(args, "-o", folder)...)
			l.judge(links, r, err, folder, l.madeBy(args))
			if err != nil {
				continue
			}
			for _, g := range r.Goals {
				switch {
				case g.Name != "saturated":
				case g.Met == nil:
					l.count(goal, exam.Unknown, "unknown", g.Name)
				case *g.Met:
					l.count(goal, exam.Right, "met", g.Name)
				default: // true of the measurement, and no accusation
					l.count(goal, exam.Unknown, "missed", g.Name)
				}
			}
		}
		return nil
	})
}
