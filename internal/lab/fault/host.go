package fault

import (
	"fmt"
	"path"
	"strings"
)

// offloadsOff makes the sender's kernel pass frames to the NIC one by one.
var offloadsOff = Fault{ID: "offloads-off", Title: "segmentation offload off at the sender", Cause: "offloads-off",
	Scenario: Fast,
	Make: func(p *Place, _ Values) {
		dev := p.Sender.Interface
		p.run(p.Sender.Host, fmt.Sprintf("ethtool -K %s tso off gso off", dev),
			fmt.Sprintf("ethtool -K %s tso on gso on", dev))
	}}

// segmentsFew limits segmentation offload to one or two segments a packet, like a driver that supports no more.
var segmentsFew = Fault{ID: "segments-few",
	Title: "segmentation offload at the sender that takes a segment or two at once (gso_max_segs)",
	Cause: "cpu-per-packet", Scenario: Fast, Parameters: []Parameter{{Name: "segments", Low: 1, High: 2}},
	Make: func(p *Place, v Values) {
		dev := p.Sender.Interface
		was := p.ask(p.Sender.Host,
			fmt.Sprintf("ip -d link show dev %s | sed -n 's/.*gso_max_segs \\([0-9]*\\).*/\\1/p'", dev))
		p.run(p.Sender.Host, fmt.Sprintf("ip link set dev %s gso_max_segs %.0f", dev, v["segments"]),
			fmt.Sprintf("ip link set dev %s gso_max_segs %s", dev, was))
	}}

// callsSmall makes the program send and receive a few bytes with each call.
var callsSmall = Fault{ID: "calls-small", Title: "a program that hands over a few bytes at a time",
	Cause: "cpu-per-request", Scenario: Fast,
	Parameters: []Parameter{{Name: "bytes", Unit: "B", Low: 64, High: 1024, Log: true}},
	Settings:   func(v Values) map[string]string { return map[string]string{"size": fmt.Sprintf("%.0f", v["bytes"])} }}

// firewallRules makes the receiver match every packet against thousands of rules.
var firewallRules = Fault{ID: "firewall-rules", Title: "thousands of firewall rules in a chain of the receiver",
	Cause: "firewall-cost", Scenario: Fast, Parameters: []Parameter{{Name: "rules", Low: 2000, High: 6000}},
	Make: func(p *Place, v Values) { p.rules(p.Receiver.Host, "input", "saddr", v["rules"]) }}

// firewallOutput makes the sender do so with every packet that it sends.
var firewallOutput = Fault{ID: "firewall-output", Title: "thousands of firewall rules in a chain of the sender",
	Cause: "firewall-cost", Scenario: Fast, Parameters: []Parameter{{Name: "rules", Low: 3000, High: 8000}},
	Make: func(p *Place, v Values) { p.rules(p.Sender.Host, "output", "daddr", v["rules"]) }}

// rules adds n rules that never match to a hook of a host.
func (p *Place) rules(host, hook, field string, n float64) {
	p.run(host, fmt.Sprintf(
		`{ printf 'table ip guard {\nchain c {\ntype filter hook %s priority 0;\n'; for i in $(seq %.0f); do echo 'ip %s 192.0.2.7 accept'; done; printf '}\n}\n'; } | nft -f -`,
		hook, n, field), "nft delete table ip guard")
}

// conntrackSmall gives the receiver's connection tracking a table that its own connections fill.
var conntrackSmall = Fault{ID: "conntrack-small", Title: "a table of tracked connections that is full already",
	Cause: "conntrack-full", Scenario: Guest, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "places", Low: 2, High: 8}},
	Make: func(p *Place, v Values) {
		host, n := p.Receiver.Host, v["places"]
		// The connections are the host's own, over loopback: established ones are not evicted for new ones.
		p.run(host, "modprobe nf_conntrack enable_hooks=1", "modprobe -r nf_conntrack")
		pids := p.run(host, fmt.Sprintf(`f=$(mktemp -u); mkfifo $f; exec 3<>$f; rm $f
for i in $(seq %.0[1]f); do nc -l -p $((7000+i)) <&3 >/dev/null 2>&1 & echo $!; done; sleep 1
for i in $(seq %.0[1]f); do nc 127.0.0.1 $((7000+i)) <&3 >/dev/null 2>&1 & echo $!; done; sleep 1`, n), "")
		p.undo(host, fmt.Sprintf("kill %s; sleep 1", strings.Join(strings.Fields(pids), " ")))
		p.sysctl(host, "net.netfilter.nf_conntrack_max", fmt.Sprintf("%.0f", n))
	}}

// cpuQuota makes the measuring process of one end wait in a part of each tenth of a second.
var cpuQuota = Fault{ID: "cpu-quota", Title: "a control group that grants one end a part of a core", Cause: "cpu-quota",
	Scenario: Fast, Needs: []string{NeedsQuota},
	Parameters: []Parameter{{Name: "cores", Unit: "1", Low: 0.05, High: 0.25}, anyEnd},
	Make:       func(p *Place, v Values) { p.quota(p.either(1-v["end"]).Host, v["cores"]) }}

// quota grants the processes of a host a part of a core.
func (p *Place) quota(host string, cores float64) {
	p.group(host, "cpu", fmt.Sprintf("echo %.0f >$g/cpu.cfs_quota_us", 1e5*cores))
}

// group moves a host's thread, which starts all of its processes, into a control group (version 1) that the script
// limit has configured. By the group's name, $g, an ending lab, or the next list of labs, removes it.
func (p *Place) group(host, controller, limit string) {
	group := fmt.Sprintf(`g=/sys/fs/cgroup/%s/linerate-lab-$(tr '\0' ' ' </proc/1/cmdline | cut -d' ' -f3)-$(hostname)`,
		controller)
	thread := p.ask(host,
		`me=$(readlink /proc/self/ns/net); for t in /proc/1/task/*; do [ "$(readlink $t/ns/net)" = "$me" ] && echo ${t##*/} && break; done`)
	was := p.ask(host,
		fmt.Sprintf(`sed -n 's/^[0-9]*:\([a-z,]*,\)\?%[1]s\(,[a-z,]*\)\?:/\/sys\/fs\/cgroup\/%[1]s/p' /proc/self/cgroup`,
			controller))
	p.run(host, fmt.Sprintf("%s; mkdir -p $g && %s && echo %s >$g/tasks", group, limit, thread), fmt.Sprintf(
		"%s; for i in $(seq 50); do for t in $(cat $g/tasks); do echo $t >%s/tasks; done; rmdir $g && break; sleep "+
			"0.05; done", group, was))
}

// slowReader stops the receiving program most of the time.
var slowReader = Fault{ID: "slow-reader", Title: "a receiving program that stands still again and again",
	Cause: "slow-receiver", Scenario: Fast, Parameters: []Parameter{{Name: "still", Unit: "1", Low: 0.8, High: 0.92}},
	Make: func(p *Place, v Values) { p.stopping(p.Receiver.Host, v["still"], 0.25) }}

// slowSource stops the sending program most of the time, so that the connection has nothing to send.
var slowSource = Fault{ID: "slow-source", Title: "a sending program that stands still again and again",
	Cause: "app-limited", Scenario: Near, Parameters: []Parameter{{Name: "still", Unit: "1", Low: 0.75, High: 0.9}},
	Make: func(p *Place, v Values) { p.stopping(p.Sender.Host, v["still"], 0.5) }}

// stopping stops and continues this program's processes in a host forever: stopped for a share of every period, in
// seconds.
func (p *Place) stopping(host string, still, period float64) {
	name := path.Base(p.Program)
	name = name[:min(15, len(name))] // the kernel's limit
	agents := fmt.Sprintf(
		`me=$(readlink /proc/self/ns/net); agents() { for p in $(pgrep -x %s); do [ "$(readlink /proc/$p/ns/net)" = "$me" ] && echo $p; done; }`,
		name)
	// The loop searches them only until they exist: on full cores, a search takes longer than the interval.
	loop := fmt.Sprintf(
		`%s; while :; do a=$(agents); while [ -n "$a" ] && kill -STOP $a 2>/dev/null; do sleep %.3f; kill -CONT $a; sleep %.3f; done; sleep 0.05; done`,
		agents, still*period, (1-still)*period)
	pid := p.run(host, fmt.Sprintf("setsid nice -n -20 sh -c '%s' >/dev/null 2>&1 </dev/null & echo $!", loop), "")
	if p.Err == nil {
		p.undo(host,
			fmt.Sprintf(`kill -- -%[1]s 2>/dev/null || kill %[1]s; %[2]s; for a in $(agents); do kill -CONT $a; done`, pid,
				agents))
	}
}
