package watch

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/xslices"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// machine reads what the host as a whole did, at the ticks of the watch: its cores, its receiving softirqs and the
// counters of the experiment's interface. Rows hold what was counted since the interval began, so that a tick that was
// left out leaves no gap in them.
type machine struct {
	stat, softnet, dev *procFile
	device             string // of the experiment; empty: unknown
	hz                 int

	cores   map[int]facts.CoreTime // at the beginning
	last    map[int]facts.CoreTime
	packets map[int]*softnetCount
	link    map[string]*linkCount
	lost    []string // why a source is unknown; each once
}

// softnetCount adds up counters that are 32 bits wide and wrap.
type softnetCount struct {
	last                        facts.SoftnetCPU
	processed, dropped, squeeze uint64
}

// linkCount adds up one counter of an interface.
type linkCount struct {
	last, grown uint64
	broken      bool // it went back: the interface was made again, and its earlier count is unknown
}

// mostCoreRows is the most rows of one tick: of more cores, those that did most since the tick before.
const mostCoreRows = 32

// linkCounters are the counters of an interface that are sampled.
var linkCounters = []string{"rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "tx_bytes", "tx_packets",
	"tx_errors", "tx_dropped"}

func machineAt(stat, softnet, dev, device string, hz int) *machine {
	return &machine{stat: openProc(stat), softnet: openProc(softnet), dev: openProc(dev), device: device, hz: hz}
}

func (m *machine) close() {
	for _, f := range []*procFile{m.stat, m.softnet, m.dev} {
		f.close()
	}
}

// unknown notes why a source is unknown.
func (m *machine) unknown(subject string, err error) {
	text := fmt.Sprintf("%s: %v", subject, err)
	if !slices.Contains(m.lost, text) && len(m.lost) < 8 {
		m.lost = append(m.lost, text)
	}
}

// open takes the first readings.
func (m *machine) open() {
	if text, err := m.softnet.read(); err != nil {
		m.unknown("softnet counters", err)
	} else {
		m.countSoftnet(text)
	}
	if m.device == "" {
		m.unknown("counters of the interface", fmt.Errorf("no interface of this host has the address of this end"))
	} else if text, err := m.dev.read(); err != nil {
		m.unknown("counters of the interface", err)
	} else {
		m.countLink(text)
	}
}

// rows returns what is known at now. cores is the newest reading of /proc/stat; nil: none was due.
func (m *machine) rows(now int64, cores []facts.CoreTime) []traffic.Sample {
	var out []traffic.Sample
	row := func(metric, unit string, v float64) {
		out = append(out, traffic.Sample{Stream: -1, TimeNS: now, Metric: metric, Value: v, Unit: unit})
	}
	m.coreRows(cores, row)
	if m.softnet.pause.due(now) {
		from := traffic.Now()
		if text, err := m.softnet.read(); err == nil {
			m.countSoftnet(text)
			m.softnetRows(row)
		} else {
			m.unknown("softnet counters", err)
		}
		m.softnet.pause.took(from, traffic.Now(), m.hz)
	}
	if m.device != "" && m.dev.pause.due(now) {
		from := traffic.Now()
		if text, err := m.dev.read(); err == nil {
			m.countLink(text)
			for _, name := range linkCounters {
				if c := m.link[name]; c != nil && !c.broken {
					unit := "count"
					if name == "rx_bytes" || name == "tx_bytes" {
						unit = "B"
					}
					row("link."+name, unit, float64(c.grown))
				}
			}
		} else {
			m.unknown("counters of the interface", err)
		}
		m.dev.pause.took(from, traffic.Now(), m.hz)
	}
	return out
}

// coreRows returns the time of cores since the beginning, in seconds, and that of all together.
func (m *machine) coreRows(cores []facts.CoreTime, row func(metric, unit string, v float64)) {
	if cores == nil {
		return
	}
	if m.cores == nil {
		m.cores, m.last = byCore(cores), byCore(cores)
		return
	}
	type one struct {
		core   int
		since  facts.CoreTime
		lately float64
	}
	var busy []one
	var all facts.CoreTime
	for _, c := range cores {
		a, ok := m.cores[c.Core]
		if !ok {
			continue // came online in the interval
		}
		since := coreSince(a, c)
		all.User, all.System, all.SoftIRQ = all.User+since.User, all.System+since.System, all.SoftIRQ+since.SoftIRQ
		all.IRQ, all.Steal, all.Idle = all.IRQ+since.IRQ, all.Steal+since.Steal, all.Idle+since.Idle
		lately := coreSince(m.last[c.Core], c)
		if used(since) > 0 {
			busy = append(busy, one{c.Core, since, used(lately)})
		}
	}
	slices.SortStableFunc(busy, func(a, b one) int { return cmp.Compare(b.lately, a.lately) })
	emit := func(name string, c facts.CoreTime) {
		for _, k := range []struct {
			kind string
			v    float64
		}{{"user", c.User}, {"system", c.System}, {"softirq", c.SoftIRQ}, {"irq", c.IRQ}, {"steal", c.Steal},
			{"idle", c.Idle}} {
			row(name+"."+k.kind, "s", k.v)
		}
	}
	emit("cores", all)
	for _, b := range busy[:min(len(busy), mostCoreRows)] {
		emit(fmt.Sprintf("core.%d", b.core), b.since)
	}
	m.last = byCore(cores)
}

// coreSince returns the growth of a core's times; user has nice in it, idle waiting for disks, as in Core. The kernel's
// idle time goes back now and then (proc_stat(5)): less than nothing of it would make the shares of the others more
// than the whole.
func coreSince(a, b facts.CoreTime) facts.CoreTime {
	d := func(a, b float64) float64 { return max(0, b-a) }
	return facts.CoreTime{Core: b.Core, User: d(a.User+a.Nice, b.User+b.Nice), System: d(a.System, b.System),
		SoftIRQ: d(a.SoftIRQ, b.SoftIRQ),
		IRQ:     d(a.IRQ, b.IRQ), Steal: d(a.Steal, b.Steal), Idle: d(a.Idle+a.IOWait, b.Idle+b.IOWait)}
}

func used(c facts.CoreTime) float64 { return c.User + c.System + c.SoftIRQ + c.IRQ }

func byCore(cores []facts.CoreTime) map[int]facts.CoreTime {
	out := xslices.By(cores, func(c facts.CoreTime) int { return c.Core })
	return out
}

// countSoftnet adds what the softnet counters grew by since the last reading.
func (m *machine) countSoftnet(text []byte) {
	cpus, err := linux.ParseSoftnet(text)
	if err != nil {
		m.unknown("softnet counters", err)
		return
	}
	first := m.packets == nil
	if first {
		m.packets = make(map[int]*softnetCount, len(cpus))
	}
	for _, c := range cpus {
		p := m.packets[c.Core]
		if p == nil {
			// A core that came online later starts at its present count: what it counted before is not of this interval.
			m.packets[c.Core] = &softnetCount{last: c}
			continue
		}
		p.processed += facts.Wrapped(p.last.Processed, c.Processed)
		p.dropped += facts.Wrapped(p.last.Dropped, c.Dropped)
		p.squeeze += facts.Wrapped(p.last.TimeSqueeze, c.TimeSqueeze)
		p.last = c
	}
}

// softnetRows makes a row for each counter of every core that received since the beginning, at most of mostCoreRows
// cores.
func (m *machine) softnetRows(row func(metric, unit string, v float64)) {
	var cores []int
	for core, p := range m.packets {
		if p.processed+p.dropped+p.squeeze > 0 {
			cores = append(cores, core)
		}
	}
	slices.SortFunc(cores, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.packets[b].processed, m.packets[a].processed), a-b)
	})
	for _, core := range cores[:min(len(cores), mostCoreRows)] {
		p := m.packets[core]
		name := fmt.Sprintf("softnet.%d.", core)
		row(name+"processed", "count", float64(p.processed))
		row(name+"dropped", "count", float64(p.dropped))
		row(name+"squeezed", "count", float64(p.squeeze))
	}
}

// countLink adds what the interface's counters grew by.
func (m *machine) countLink(text []byte) {
	all, err := linux.ParseNetDev(text)
	counters := all[m.device]
	if counters == nil {
		if err == nil {
			err = fmt.Errorf("%s is not there any more", m.device)
		}
		m.unknown("counters of the interface", err)
		return
	}
	if m.link == nil {
		m.link = map[string]*linkCount{}
	}
	for _, name := range linkCounters {
		v := counters[name]
		c := m.link[name]
		if c == nil {
			m.link[name] = &linkCount{last: v}
			continue
		}
		c.add(v)
		if c.broken {
			m.unknown("counters of the interface",
				fmt.Errorf("%s of %s went back; the interface was made again or its counters were reset", name, m.device))
		}
	}
}

// add takes a new reading. Counters are 64 bits wide, but some drivers keep theirs in 32: one that went back from the
// last quarter of 32 bits to the first has wrapped; any other one was reset.
func (c *linkCount) add(v uint64) {
	const quarter = 1 << 30
	switch {
	case v >= c.last:
		c.grown += v - c.last
	case c.last < 1<<32 && c.last >= 3*quarter && v < quarter:
		c.grown += v + 1<<32 - c.last
	default:
		c.broken = true
	}
	c.last = v
}
