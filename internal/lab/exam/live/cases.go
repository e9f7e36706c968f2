package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	labs "linerate/internal/lab"
	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/record"
)

// all judges every group of cases.
func (x *examiner) all() {
	x.spoiledLab()
	x.byHand()
	x.groups()
	x.mesh()
	x.chase()
	x.whatIf()
	x.accounts()
	x.storage()
	x.labExam()
}

// nearScale is the scale at which a link of a speed carries what near links do.
func (x *examiner) nearScale(speed float64) float64 { return float64(x.near) / speed }

// share is a part of the near rate as tc and flags take it.
func (x *examiner) share(of float64) string {
	return fmt.Sprintf("%.0fkbit", math.Floor(of*float64(x.near)/1e3))
}

// Groups whose names stand in two places.
const (
	spoiledGroup = "spoiled lab"
	examGroup    = "lab exam"
)

// spoiled is a lab of three.yaml in which one thing is broken.
type spoiled struct {
	one
	fast  bool     // links that are faster than the machine, in place of links that are the limit
	edit  []string // of the file: old, new
	spoil [][]string
}

// With no delay between two namespaces even 8 KiB in flight fill 5 Gb/s: what a connection or a core can do only binds on a link that is faster
// than the machine.
func (x *examiner) spoiledLab() {
	const nic, peer = "cardp1", "10.0.1.2"
	rules := "{ printf 'table ip f {\\nchain i {\\ntype filter hook input priority 0;\\n'; for i in $(seq 300); do echo 'ip saddr 10.9.8.7 accept'; done; printf '}\\n}\\n'; } >$f"
	c := func(name string, truth ...string) one { return one{group: spoiledGroup, name: name, truth: truth} }
	healthy := c("healthy", "link")
	healthy.healthy = true
	for _, s := range []spoiled{
		{one: healthy},
		{one: c("receive-window-cap", "receive-window-cap"), fast: true, spoil: [][]string{{"host2", "sysctl", "-w", "net.ipv4.tcp_rmem=4096 6144 6144"}}},
		{one: c("send-buffer-cap", "send-buffer-cap"), fast: true, spoil: [][]string{{"host1", "sysctl", "-w", "net.ipv4.tcp_wmem=4096 8192 8192"}}},
		{one: c("app-limited", "app-limited"), edit: []string{"streams: 1", "streams: 1, pace: " + bits(x.near/4) + ", pace_by: program"}},
		{one: c("paced", "app-limited"), edit: []string{"streams: 1", "streams: 2, pace: " + bits(x.near/5)}},
		{one: c("local-shaper", "local-shaper"), spoil: [][]string{
			{"host1", "tc", "qdisc", "replace", "dev", nic, "root", "tbf", "rate", x.share(0.4), "burst", "128kb", "limit", "500kb"}}},
		{one: c("wrong-nic", "wrong-nic"), spoil: [][]string{
			{"host3", "sysctl", "-w", "net.ipv4.ip_forward=1"},
			{"host3", "ip", "route", "replace", peer + "/32", "via", "10.0.3.1"},
			{"host1", "ip", "route", "replace", peer + "/32", "via", "10.0.2.2"}}},
		{one: c("window-scaling-off", "window-scaling-off"), fast: true, spoil: [][]string{{"host2", "sysctl", "-w", "net.ipv4.tcp_window_scaling=0"}}},
		{one: c("duplicate-subnet", "duplicate-subnet"), spoil: [][]string{
			{"host3", "sysctl", "-w", "net.ipv4.ip_forward=1"},
			{"host3", "sysctl", "-w", "net.ipv4.conf.all.proxy_arp=1"},
			{"host3", "ip", "route", "replace", peer + "/32", "via", "10.0.3.1"},
			{"host1", "ip", "address", "add", "10.0.1.9/24", "dev", "cardp2"},
			{"host1", "ip", "address", "del", "10.0.1.1/24", "dev", nic}, // added again, its route comes second
			{"host1", "ip", "address", "add", "10.0.1.1/24", "dev", nic}}},
		// In several files: nft sends one in one message, and the kernel takes no message of 3000 rules from an ordinary user's lab.
		{one: c("firewall-cost", "firewall-cost"), fast: true, spoil: [][]string{
			{"host2", "sh", "-c", "f=$(mktemp); " + rules + "; for i in 1 2 3 4 5 6 7 8 9 10; do nft -f $f || exit; done; rm $f"}}},
		{one: c("offloads-off", "offloads-off"), fast: true, spoil: [][]string{{"host1", "ethtool", "-K", nic, "tso", "off", "gso", "off"}}},
	} {
		if !x.wanted(s.one) {
			continue
		}
		scale := x.nearScale(10e9)
		if s.fast {
			s.edit, scale = faster(x.fast), 1
		}
		x.spoiledIn(s.one, "cmd/linerate/testdata/three.yaml", s.edit, scale, s.spoil)
	}
}

// spoiledIn breaks a lab by commands and judges its experiment.
func (x *examiner) spoiledIn(c one, file string, edit []string, scale float64, spoil [][]string) {
	fabric, err := x.copy(file, edit...)
	if err == nil {
		err = x.inLab(fabric, scale, func(l *lab) error {
			for _, argv := range spoil {
				if err := l.on(argv[0], argv[1:]...); err != nil {
					return fmt.Errorf("on %s: %q: %w", argv[0], argv[1:], err)
				}
				l.note += strings.Join(argv, " ") + "\n"
			}
			l.run(c)
			return nil
		})
	}
	if err != nil {
		x.failed(c, err)
	}
}

// groups are many hosts at once, whose links are full.
func (x *examiner) groups() {
	for _, pattern := range []string{"pairs", "halves", "incast", "shuffle"} {
		c := one{"groups", pattern, true, []string{"link"}}
		x.healthyRun(c, "cmd/linerate/testdata/star.yaml", x.nearScale(10e9), "--only", pattern)
	}
}

// healthyRun judges the experiments of a file in a lab in which nothing is broken.
func (x *examiner) healthyRun(c one, file string, scale float64, args ...string) {
	if !x.wanted(c) {
		return
	}
	fabric, err := x.copy(file)
	if err == nil {
		err = x.inLab(fabric, scale, func(l *lab) error {
			l.run(c, args...)
			return nil
		})
	}
	if err != nil {
		x.failed(c, err)
	}
}

// mesh is the first example of the manual: its twelve streams fill their links, and the goal that says so is met.
func (x *examiner) mesh() {
	links, goal := one{"mesh-10g", "streams", true, []string{"link"}}, one{"mesh-10g", "goal saturated", true, []string{"met"}}
	if !x.wanted(links) && !x.wanted(goal) {
		return
	}
	fabric, err := x.copy("examples/mesh-10g.yaml")
	if err == nil {
		err = x.inLab(fabric, x.nearScale(10e9), func(l *lab) error {
			for range l.tries {
				if l.ctx.Err() != nil {
					return nil
				}
				l.pause()
				folder, args := l.folder(), []string{"run", l.fabric, "--lab=" + l.id, "--repeats", "1", "--only", "raw"}
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
					default: // true of what was measured, and no accusation
						l.count(goal, exam.Unknown, "missed", g.Name)
					}
				}
			}
			return nil
		})
	}
	if err != nil {
		x.failed(links, err)
	}
}

// chase is a link that drops what is above a rate: no counter says so, so that the verdict asks, and the chase settles it. A healthy lab gives nothing to chase.
func (x *examiner) chase() {
	healthy, policer := one{"chase", "healthy", true, []string{"link"}}, one{"chase", "policer-link", false, []string{"policer"}}
	for _, c := range []one{healthy, policer} {
		if !x.wanted(c) {
			continue
		}
		fabric, err := x.copy("examples/exam.yaml")
		if err == nil {
			err = x.inLab(fabric, x.nearScale(10e9), func(l *lab) error {
				if !c.healthy {
					if _, err := l.linerate("lab", "fault", l.fabric, "policer-link", "--lab", l.id, "--set", "share=0.7,burst=0.01"); err != nil {
						return err
					}
					l.note = "lab fault policer-link --set share=0.7,burst=0.01"
				}
				l.run(c, "--repeats", "3", "--chase", "30s")
				return nil
			})
		}
		if err != nil {
			x.failed(c, err)
		}
	}
}

// whatIf holds what a run at MTU 1500 says of 9000 against what the same run measured at 9000, where the link is the limit of both.
func (x *examiner) whatIf() {
	c := one{"what-if", "two-mtus", false, []string{"in the range"}}
	if !x.wanted(c) {
		return
	}
	fabric, err := x.copy("cmd/linerate/testdata/two-mtus.yaml", "streams: [1, 4]", "streams: 1", "repeats: 3", "repeats: 1")
	if err != nil {
		x.failed(c, err)
		return
	}
	for range x.tries {
		if x.ctx.Err() != nil {
			return
		}
		x.pause()
		folder := x.folder()
		var w record.WhatIf
		_, err := x.linerate("run", fabric, "--lab", "--scale", fmt.Sprintf("%.6g", x.nearScale(40e9)), "-o", folder, "--json")
		var text []byte
		if err == nil {
			text, err = x.linerate("whatif", folder, "--mtu", "9000", "--json")
		}
		if err == nil {
			err = json.Unmarshal(text, &w)
		}
		if err == nil && len(w.Experiments) != 1 {
			err = fmt.Errorf("%d experiments, want 1", len(w.Experiments))
		}
		if err != nil {
			x.failed(c, err)
			continue
		}
		m, said := predicted(w.Experiments[0])
		x.count(c, m, said, w.Experiments[0].Sentence)
		if m == exam.Right {
			x.recorded(c, []string{"link"}, folder, made{"linerate run two-mtus.yaml --lab", "what-if with --mtu 9000 is in its range"})
		}
	}
}

// predicted marks a prediction by what was measured. One that is not made, or whose verdict is not the link, is honest.
func predicted(one record.WhatIfOne) (exam.Mark, string) {
	if one.Measured == nil || one.Predicted == nil || one.Predicted.Low == nil || one.Predicted.High == nil || one.Limiter != "link" {
		return exam.Unknown, "unknown"
	}
	got, low, high := one.Measured.Goodput.Median, *one.Predicted.Low, *one.Predicted.High
	switch {
	case got < low*0.97 || got > high*1.01:
		return exam.Wrong, "out of the range"
	case high < one.Goodput.Median*1.02: // nothing follows from the larger MTU
		return exam.Wrong, "no gain"
	}
	return exam.Right, "in the range"
}

// accounts: what is lost on purpose closes the account of what was sent again, whoever counted it, the switch's port or a firewall.
func (x *examiner) accounts() {
	for _, c := range []struct {
		one
		where    string   // in the sentence of the account
		verdicts []string // that are right of the recorded run: its losses are few, and what is lost may stay unexplained
		spoil    [][]string
	}{
		{one{"accounts", "switch-drops", false, []string{"closes"}}, "by qdisc.drops of sw1.2 on sw1", []string{"shallow-buffer", "unexplained"},
			[][]string{{"sw1", "tc", "qdisc", "replace", "dev", "sw1.2", "root", "tbf", "rate", x.share(0.75), "burst", "16kb", "limit", "30kb"}}},
		{one{"accounts", "firewall-drops", false, []string{"closes"}}, "by firewall.drops on host2", []string{"random-loss", "link", "unexplained"},
			[][]string{{"host2", "nft", "add table inet f"}, {"host2", "nft", "add chain inet f i { type filter hook input priority 0; }"},
				{"host2", "nft", "add rule inet f i tcp dport != 1 numgen random mod 1000 < 3 counter drop"}}},
	} {
		if !x.wanted(c.one) {
			continue
		}
		fabric, err := x.copy("cmd/linerate/testdata/through.yaml")
		if err == nil {
			err = x.inLab(fabric, x.nearScale(10e9), func(l *lab) error {
				for _, argv := range c.spoil {
					if err := l.on(argv[0], argv[1:]...); err != nil {
						return err
					}
					l.note += strings.Join(argv, " ") + "\n"
				}
				for range l.tries {
					if l.ctx.Err() != nil {
						return nil
					}
					l.pause()
					folder := l.folder()
					args := []string{"run", l.fabric, "--lab=" + l.id, "--repeats", "1"}
					r, err := l.measure(append(args, "-o", folder)...)
					if err != nil {
						l.failed(c.one, err)
						continue
					}
					m, said, sentence := closes(r.Experiments[0].Accounts, c.where)
					if l.count(c.one, m, said, sentence); m == exam.Right {
						l.recorded(c.one, c.verdicts, folder, l.madeBy(args))
					}
					l.looking(r)
				}
				return nil
			})
		}
		if err != nil {
			x.failed(c.one, err)
		}
	}
}

// closes marks the accounts of what was sent, received and sent again.
func closes(all []record.Account, where string) (exam.Mark, string, string) {
	for _, name := range []string{"sent", "received", "resent"} {
		i := 0
		for i < len(all) && all[i].Name != name {
			i++
		}
		switch {
		case i == len(all) || all[i].Closes == nil:
			return exam.Unknown, name + " unknown", "the account is not known"
		case !*all[i].Closes:
			return exam.Wrong, name + " open", all[i].Sentence
		case name == "resent" && (all[i].Left.Value == nil || *all[i].Left.Value < 10):
			return exam.Unknown, "no losses", all[i].Sentence
		case name == "resent" && !strings.Contains(all[i].Sentence, where):
			return exam.Wrong, "other place", all[i].Sentence
		}
	}
	return exam.Right, "closes", "sent, received and resent close"
}

// looking judges what the program itself takes while it measures: less than a hundredth of a core.
func (x *examiner) looking(r *record.Run) {
	c := one{"accounts", "cost of looking", false, []string{"at most 1 %"}}
	switch {
	case r.Evidence == nil || r.Evidence.Share == nil:
		x.count(c, exam.Unknown, "unknown", "no capture says what it took")
	case *r.Evidence.Share <= 0.01:
		x.count(c, exam.Right, "at most 1 %", fmt.Sprintf("%.2f %% of a core", 100**r.Evidence.Share))
	default:
		x.count(c, exam.Wrong, "more than 1 %", fmt.Sprintf("%.2f %% of a core", 100**r.Evidence.Share))
	}
}

// storage is storage over a network, of which one part after another is made slow: a drive, the network, the host that asks, and memory that
// answers in a drive's place. The link "fast" is faster than memory, the link "slow" one that is full.
func (x *examiner) storage() {
	c := func(name, truth string, healthy bool) one { return one{"storage", name, healthy, []string{truth}} }
	cached, full := c("cached source", "page-cache-read", true), c("full link", "link", true)
	quota, shaper, drive := c("slow source", "cpu-quota", false), c("slow network", "local-shaper", false), c("slow target", "media-limit", false)
	any := false
	for _, c := range []one{cached, full, quota, shaper, drive} {
		any = any || x.wanted(c)
	}
	if !any {
		return
	}
	if !labs.MayDrive() || !labs.MayQuota() {
		x.leftOut = append(x.leftOut, "storage needs loop devices, and control groups of version 1 that limit drives and processors")
		return
	}
	fabric, err := x.copy("cmd/linerate/testdata/storage.yaml", "speed: 100G", "speed: "+bits(x.fast), "speed: 1G", "speed: "+bits(x.near))
	if err == nil {
		err = x.inLab(fabric, 1, func(l *lab) error {
			exec := func(host, script string) (string, error) {
				out, err := l.linerate("lab", "exec", l.id+"/"+host, "--", "sh", "-c", script)
				return strings.TrimSpace(string(out)), err
			}
			at := &fault.Place{Sender: fault.End{Host: "nas"}, Source: "/var/tmp/source", Rate: x.near / 2, Program: x.program, Exec: exec}
			if at.Drive(); at.Err != nil {
				return at.Err
			}
			asks := &fault.Place{Sender: fault.End{Host: "pc"}, Program: x.program, Exec: exec}
			l.run(cached, "--only", "near")
			l.run(full, "--only", "far")
			if fault.Find("cpu-quota").Make(asks, fault.Values{"cores": 0.1, "end": 1}); asks.Err != nil {
				return asks.Err
			}
			l.note = "pc: lab fault cpu-quota of 0.1 cores"
			l.run(quota, "--only", "near")
			if asks.Back(); asks.Err != nil {
				return asks.Err
			}
			if err := l.on("nas", "tc", "qdisc", "replace", "dev", "fast", "root", "tbf", "rate", x.share(1), "burst", "128kb", "limit", "1mb"); err != nil {
				return err
			}
			l.note = "nas: tbf on fast"
			l.run(shaper, "--only", "near")
			if err := l.on("nas", "tc", "qdisc", "del", "dev", "fast", "root"); err != nil {
				return err
			}
			if fault.Find("slow-drive").Make(at, fault.Values{"share": 0.15}); at.Err != nil {
				return at.Err
			}
			l.note = "nas: a drive of " + (x.near / 2 * 15 / 100).BytesPerSecond()
			l.run(drive, "--only", "near")
			return nil
		})
	}
	if err != nil {
		x.failed(cached, err)
	}
}

// batch is how many faults one linerate lab exam gets: between two of them other work on the machine is watched.
const batch = 8

// labExam is linerate lab exam, each try with a seed of its own.
func (x *examiner) labExam() {
	var ids []string
	for _, f := range fault.All() {
		if !f.Terrain.Guests() && x.wanted(one{group: examGroup, name: f.ID}) {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	fabric, err := x.copy("examples/exam.yaml", "speed: 100G", "speed: "+bits(x.fast))
	if err != nil {
		x.failed(one{group: examGroup, name: "exam.yaml"}, err)
		return
	}
	for try := range x.tries {
		seed := x.seed + try
		x.seeds = append(x.seeds, seed)
		for n := 0; n < len(ids); n += batch {
			if x.ctx.Err() != nil {
				return
			}
			x.pause()
			x.oneExam(fabric, seed, n/batch, ids[n:min(n+batch, len(ids))], try == 0)
		}
	}
}

// oneExam runs linerate lab exam for some faults and counts its outcomes.
func (x *examiner) oneExam(fabric string, seed, n int, ids []string, first bool) {
	dir := filepath.Join(x.keep, fmt.Sprintf("exam-%d-%d", seed, n))
	if err := os.RemoveAll(dir); err != nil {
		x.failed(one{group: examGroup, name: ids[0]}, err)
		return
	}
	args := []string{"lab", "exam", fabric, "--seed", fmt.Sprint(seed), "--rate", bits(x.near), "--healthy-every", fmt.Sprint(x.every), "--only", strings.Join(ids, ",")}
	text, err := x.patient(len(ids)*2, append(args, "-o", dir, "--json")...)
	var e struct {
		LeftOut  []string `json:"left_out"`
		Outcomes []exam.Outcome
	}
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		for _, id := range ids {
			x.failed(one{group: examGroup, name: id}, err)
		}
		return
	}
	if first {
		x.leftOut = append(x.leftOut, e.LeftOut...)
	}
	for _, o := range e.Outcomes {
		c := one{group: examGroup, name: o.Fault, truth: []string{o.Truth}}
		if o.Fault == "" {
			t := exam.Trial{Terrain: o.Terrain, Transport: o.Transport}
			c.name, c.healthy, c.truth = t.Name(), true, fault.Healthy(o.Terrain, o.Transport)
		}
		sentence := o.Sentence
		if o.Mark == exam.Failed {
			sentence = o.Error
		}
		x.counted(c, o.Mark, &record.Verdict{Limiter: o.Limiter, Confidence: o.Confidence, Sentence: sentence})
		if o.Mark == exam.Right {
			x.recorded(c, c.truth, filepath.Join(dir, o.Folder, "run"), made{"linerate " + strings.ReplaceAll(strings.Join(args, " "), fabric, filepath.Base(fabric)), o.Fault})
		}
	}
}
