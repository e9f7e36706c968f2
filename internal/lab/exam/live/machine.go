package main

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"linerate/internal/base/unit"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/lab/exam"
	"linerate/internal/record"
)

// coreTimes are the seconds that all cores together have worked and idled since the machine started.
type coreTimes struct{ worked, stealTime, all float64 }

// times reads them; zero where the system does not say.
func times() (t coreTimes) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t
	}
	cores, err := linux.ParseStat(text)
	if err != nil {
		return t
	}
	t.worked, t.all = facts.CPUs(cores)
	for _, c := range cores {
		t.stealTime += c.Steal
	}
	t.worked -= t.stealTime
	return t
}

func (t coreTimes) since(before coreTimes) coreTimes {
	return coreTimes{t.worked - before.worked, t.stealTime - before.stealTime, t.all - before.all}
}

func (t coreTimes) plus(o coreTimes) coreTimes {
	return coreTimes{t.worked + o.worked, t.stealTime + o.stealTime, t.all + o.all}
}

// others returns the share of work, which is that of other processes while the exam is idle.
func (t coreTimes) others() float64 { return t.worked / max(t.all, 1e-9) }
func (t coreTimes) steal() float64  { return t.stealTime / max(t.all, 1e-9) }

// watching observes other work on the machine, and has the duration before the exam and in each of its pauses.
type watching struct {
	times         func() coreTimes
	before, pause time.Duration
}

// watched returns the use of the cores while the exam is idle.
func (x *examiner) watched(d time.Duration) coreTimes {
	before := x.watch.times()
	select {
	case <-time.After(d):
	case <-x.ctx.Done():
	}
	return x.watch.times().since(before)
}

// pause observes other work between two trials.
func (x *examiner) pause() { x.pauses = x.pauses.plus(x.watched(x.watch.pause)) }

var modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`)

// machine measures what the verdicts depend on, with the program under test.
func (x *examiner) machine() (exam.Machine, error) {
	idle := x.watched(x.watch.before)
	m := exam.Machine{Model: runtime.GOARCH, Cores: x.cores, Others: idle.others(), Steal: idle.steal()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if found := modelName.FindSubmatch(text); found != nil {
			m.Model = string(found[1])
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = "Linux " + strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if err := json.Unmarshal([]byte(strings.Fields(string(text))[0]), &m.Load); err != nil {
			m.Load = 0
		}
	}
	text, err := x.linerate("doctor", "--self", "--json")
	if err != nil {
		return m, err
	}
	var i record.Instrument
	if err := json.Unmarshal(text, &i); err != nil {
		return m, err
	}
	m.Copy, m.Link = unit.BitRate(8*i.CopyMemory), 100*unit.GigabitPerSecond
	for {
		if m.Carried, err = x.carried(m.Link); err != nil {
			return m, err
		}
		faster, _ := exam.Fast(m.Carried)
		if faster <= m.Link {
			return m, nil
		}
		m.Link = faster
	}
}

// carried returns the rate of one stream between two hosts of a lab whose links have this speed.
func (x *examiner) carried(link unit.BitRate) (unit.BitRate, error) {
	file, err := x.copy("cmd/linerate/testdata/three.yaml", faster(link)...)
	if err != nil {
		return 0, err
	}
	r, err := x.measure("run", file, "--lab", "--scale", "1", "--repeats", "3", "-o", x.folder())
	if err != nil {
		return 0, err
	}
	if r.Experiments[0].Goodput == nil {
		return 0, errNoFigure
	}
	return unit.BitRate(r.Experiments[0].Goodput.Median), nil
}

// faster returns the replacements that give the links of three.yaml this speed, which is above that of their own cage.
func faster(link unit.BitRate) []string {
	return []string{"speed: 10G, ports: 2, cage: sfp+", "speed: " + bits(link) + ", ports: 2, cage: qsfp28",
		"ends: [sfp+, sfp+]", "ends: [qsfp28, qsfp28]"}
}
