package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
	x.followUp()
	x.whatIf()
	x.accounts()
	x.storage()
	x.labExam()
}

// nearScale returns the scale at which a link of this speed has the rate of near links.
func (x *examiner) nearScale(speed float64) float64 { return float64(x.near) / speed }

// share formats a part of the near rate for tc and flags.
func (x *examiner) share(of float64) string {
	return fmt.Sprintf("%.0fkbit", math.Floor(of*float64(x.near)/1e3))
}

// Groups whose names are in two places.
const (
	spoiledGroup = "spoiled lab"
	examGroup    = "lab exam"
)

// followUp judges a link that drops traffic above a rate. No counter has the drops, so the verdict requests a
// follow-up, which settles it. A healthy lab needs no follow-up.
func (x *examiner) followUp() {
	healthy, policer := one{"chase", "healthy", true, []string{"link"}}, one{"chase", "policer-link", false,
		[]string{"policer"}}
	for _, c := range []one{healthy, policer} {
		if !x.wanted(c) {
			continue
		}
		x.labOf(c, "examples/exam.yaml", nil, x.nearScale(10e9), func(l *lab) error {
			if !c.healthy {
				if _, err := l.linerate("lab", "fault", l.fabric, "policer-link", "--in-lab", l.id, "--set",
					"share=0.7,burst=0.01"); err != nil {
					return err
				}
				l.note = "lab fault policer-link --set share=0.7,burst=0.01"
			}
			l.run(c, "--repeats", "3", "--follow-up", "30s")
			return nil
		})
	}
}

// whatIf compares what a run at MTU 1500 predicts for 9000 with what the same run measured at 9000, where the link
// limits both.
func (x *examiner) whatIf() {
	c := one{"what-if", "two-mtus", false, []string{"in the range"}}
	if !x.wanted(c) {
		return
	}
	fabric, err := x.copy("cmd/linerate/testdata/two-mtus.yaml", "streams: [1, 4]", "streams: 1", "repeats: 3",
		"repeats: 1")
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
		_, err := x.linerate("run", fabric, "--lab", "--scale", fmt.Sprintf("%.6g", x.nearScale(40e9)), "-o", folder,
			"--json")
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
			x.recorded(c, []string{"link"}, folder,
				made{"linerate run two-mtus.yaml --lab", "what-if with --mtu 9000 is in its range"})
		}
	}
}

// predicted marks a prediction by the measurement. A missing prediction, or a verdict other than the link, is honest.
func predicted(one record.WhatIfOne) (exam.Mark, string) {
	if one.Measured == nil || one.Predicted == nil || one.Predicted.Low == nil || one.Predicted.High == nil ||
		one.Limiter != "link" {
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

// accounts judges whether losses made on purpose explain the retransmits, whether a switch's port or a firewall counted
// them.
func (x *examiner) accounts() {
	for _, c := range []struct {
		one
		where    string   // in the sentence of the cross-check
		verdicts []string // that are right of the recorded run: its losses are few and may stay unexplained
		spoil    [][]string
	}{
		{one{"accounts", "switch-drops", false, []string{"closes"}}, "by qdisc.drops of sw1.2 on sw1",
			[]string{"shallow-buffer", "unexplained"},
			[][]string{{"sw1", "tc", "qdisc", "replace", "dev", "sw1.2", "root", "tbf", "rate", x.share(0.75), "burst", "16kb",
				"limit", "30kb"}}},
		{one{"accounts", "firewall-drops", false, []string{"closes"}}, "by firewall.drops on host2", []string{"firewall-drop",
			"link", "unexplained"},
			[][]string{{"host2", "nft", "add table inet f"}, {"host2", "nft", "add chain inet f i { type filter hook input " +
				"priority 0; }"},
				{"host2", "nft", "add rule inet f i tcp dport != 1 numgen random mod 1000 < 3 counter drop"}}},
	} {
		if !x.wanted(c.one) {
			continue
		}
		x.labOf(c.one, "cmd/linerate/testdata/through.yaml", nil, x.nearScale(10e9), func(l *lab) error {
			if err := l.spoil(c.spoil); err != nil {
				return err
			}
			for range l.tries {
				if l.ctx.Err() != nil {
					return nil
				}
				l.pause()
				folder := l.folder()
				args := []string{"run", l.fabric, "--in-lab=" + l.id, "--repeats", "1"}
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
}

// closes marks the cross-checks of what was sent, received and retransmitted.
func closes(all []record.Account, where string) (exam.Mark, string, string) {
	for _, name := range []string{"sent", "received", "resent"} {
		i := slices.IndexFunc(all, func(a record.Account) bool { return a.Name == name })
		switch {
		case i < 0 || all[i].Closes == nil:
			return exam.Unknown, name + " unknown", "the account is not known"
		case !*all[i].Closes:
			return exam.Wrong, name + " open", all[i].Sentence
		case name == "resent" && (all[i].Left.Value == nil || *all[i].Left.Value < 10):
			return exam.Unknown, "no losses", all[i].Sentence
		case name == "resent" && !strings.Contains(all[i].Sentence, where):
			return exam.Wrong, "other place", all[i].Sentence
		}
	}
	return exam.Right, "closes", "sent, received and retransmitted close"
}

// looking judges the CPU time of the program itself while it measures: less than a hundredth of a core.
func (x *examiner) looking(r *record.Run) {
	c := one{"accounts", "cost of looking", false, []string{"at most 1 %"}}
	switch {
	case r.Evidence == nil || r.Evidence.Share == nil:
		x.count(c, exam.Unknown, "unknown", "no snapshot says what it took")
	case *r.Evidence.Share <= 0.01:
		x.count(c, exam.Right, "at most 1 %", fmt.Sprintf("%.2f %% of a core", 100**r.Evidence.Share))
	default:
		x.count(c, exam.Wrong, "more than 1 %", fmt.Sprintf("%.2f %% of a core", 100**r.Evidence.Share))
	}
}

// storage judges storage over a network, with one part after another made slow: a drive, the network, the client, and
// memory instead of a drive. The link "fast" is faster than memory, and the link "slow" is full.
func (x *examiner) storage() {
	c := func(name, truth string, healthy bool) one { return one{"storage", name, healthy, []string{truth}} }
	cached, full := c("cached source", "page-cache-read", true), c("full link", "link", true)
	quota, shaper := c("slow source", "cpu-quota", false), c("slow network", "local-shaper", false)
	drive := c("slow target", "media-limit", false)
	if !slices.ContainsFunc([]one{cached, full, quota, shaper, drive}, x.wanted) {
		return
	}
	if !labs.MayDrive() || !labs.MayQuota() {
		x.leftOut = append(x.leftOut,
			"storage needs loop devices, and control groups of version 1 that limit drives and CPUs")
		return
	}
	edit := []string{"speed: 100G", "speed: " + bits(x.fast), "speed: 1G", "speed: " + bits(x.near)}
	x.labOf(cached, "cmd/linerate/testdata/storage.yaml", edit, 1, func(l *lab) error {
		exec := func(host, script string) (string, error) {
			out, err := l.linerate("lab", "exec", l.id+"/"+host, "--", "sh", "-c", script)
			return strings.TrimSpace(string(out)), err
		}
		at := &fault.Place{Sender: fault.End{Host: "nas"}, Source: "/var/tmp/source", Rate: x.near / 2,
			Program: x.program, Exec: exec}
		if at.Drive(); at.Err != nil {
			return at.Err
		}
		asks := &fault.Place{Sender: fault.End{Host: "pc"}, Program: x.program, Exec: exec}
		l.run(cached, "--experiments", "near")
		l.run(full, "--experiments", "far")
		if fault.Find("cpu-quota").Make(asks, fault.Values{"cores": 0.1, "end": 1}); asks.Err != nil {
			return asks.Err
		}
		l.note = "pc: lab fault cpu-quota of 0.1 cores"
		l.run(quota, "--experiments", "near")
		if asks.Back(); asks.Err != nil {
			return asks.Err
		}
		if err := l.on("nas", "tc", "qdisc", "replace", "dev", "fast", "root", "tbf", "rate", x.share(1), "burst", "128kb",
			"limit", "1mb"); err != nil {
			return err
		}
		l.note = "nas: tbf on fast"
		l.run(shaper, "--experiments", "near")
		if err := l.on("nas", "tc", "qdisc", "del", "dev", "fast", "root"); err != nil {
			return err
		}
		if fault.Find("slow-drive").Make(at, fault.Values{"share": 0.15}); at.Err != nil {
			return at.Err
		}
		l.note = "nas: a drive of " + (x.near / 2 * 15 / 100).BytesPerSecond()
		l.run(drive, "--experiments", "near")
		return nil
	})
}
