package run

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/record"
)

// Live is what the repeat under way carries at the moment, out of the samples that its ends send anyway: nobody is asked anything for it.
// Nil takes samples and gives nothing.
type Live struct {
	mu      sync.Mutex
	ceiling *record.Chain
	sources int
	newest  int64 // of all readings, controller's wall clock
	rows    map[liveKey][]liveAt
}

// Now is the last second of a repeat. What its method does not tell, or did not yet, is nil.
type Now struct {
	Goodput *float64      // bits per second that all receivers together took
	Latency *float64      // seconds: the slowest round trip
	IOPS    *float64      // requests a second, of all hosts that ask
	Bytes   *float64      // bytes per second of those requests
	Link    *float64      // bits per second over the interface that carries most, headers included; where the method tells nothing else
	Ceiling *record.Chain // of Goodput; nil: not known before the first repeat is over
	Cores   []LiveCore    // by host
}

// mostBusy is what a core's times grow by in a second at most, for the ticks that they come in and the moments at which they were read. More is no
// share of a core: the clock of the host, an emulated machine mostly, does not go like that of its processor, and how busy it is is not known.
const mostBusy = 1.25

// LiveCore is the busiest core of a host: 1 is all of it.
type LiveCore struct {
	Host string
	Busy float64
}

// liveSpan is how far back readings count, and liveGone after how long without one a source counts no more.
const (
	liveSpan = int64(time.Second)
	liveGone = 3 * int64(time.Second)
)

// liveKey is one row of readings: several experiments of one host number their streams alike.
type liveKey struct {
	source, stream int
	host, metric   string
}

type liveAt struct {
	at    int64
	value float64
}

// begin forgets the repeat before.
func (l *Live) begin(ceiling *record.Chain) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ceiling, l.rows, l.newest = ceiling, map[liveKey][]liveAt{}, 0
}

// source is a number for one end of one experiment.
func (l *Live) source() int {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources++
	return l.sources
}

// livened says whether a metric is one that Now is made of.
func livened(metric string) bool {
	switch metric {
	case "goodput", "latency.max", "reads", "writes", "read_bytes", "written_bytes", "link.rx_bytes", "link.tx_bytes":
		return true
	}
	return strings.HasPrefix(metric, "core.") && !strings.HasSuffix(metric, ".idle") && !strings.HasSuffix(metric, ".steal")
}

// add takes what one source sent.
func (l *Live) add(source int, rows []record.Sample) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows == nil {
		return
	}
	for _, r := range rows {
		if !livened(r.Metric) {
			continue
		}
		k := liveKey{source, r.Stream, r.End, r.Metric}
		have := l.rows[k]
		old := 0
		for old+1 < len(have) && have[old].at <= r.TimeNS-liveSpan {
			old++
		}
		l.rows[k] = append(have[old:], liveAt{r.TimeNS, r.Value})
		l.newest = max(l.newest, r.TimeNS)
	}
}

// Now is what is known of the last second.
func (l *Live) Now() Now {
	if l == nil {
		return Now{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := Now{Ceiling: l.ceiling}
	type core struct {
		source int
		name   string
	}
	cores := map[string]map[core]float64{} // by host: the share in use
	links := map[liveKey]float64{}         // by interface and direction: bits per second
	sum := func(into **float64, v float64) {
		if *into == nil {
			*into = new(float64)
		}
		**into += v
	}
	for k, rows := range l.rows {
		if rows[len(rows)-1].at < l.newest-liveGone {
			continue
		}
		switch k.metric {
		case "goodput":
			sum(&now.Goodput, mean(rows))
		case "latency.max":
			worst := slices.MaxFunc(rows, func(a, b liveAt) int { return cmp.Compare(a.value, b.value) }).value
			if now.Latency == nil || worst > *now.Latency {
				now.Latency = &worst
			}
		case "reads", "writes":
			sum(&now.IOPS, mean(rows))
		case "read_bytes", "written_bytes":
			sum(&now.Bytes, mean(rows))
		case "link.rx_bytes", "link.tx_bytes":
			if v, ok := grows(rows); ok {
				links[k] = v * 8
			}
		default: // core.3.user
			if v, ok := grows(rows); ok {
				if cores[k.host] == nil {
					cores[k.host] = map[core]float64{}
				}
				cores[k.host][core{k.source, k.metric[:strings.LastIndexByte(k.metric, '.')]}] += v
			}
		}
	}
	if len(links) > 0 && now.Goodput == nil && now.Latency == nil && now.IOPS == nil {
		most := slices.Max(slices.Collect(maps.Values(links)))
		now.Link = &most
	}
	for _, host := range slices.Sorted(maps.Keys(cores)) {
		busy := slices.Max(slices.Collect(maps.Values(cores[host])))
		if busy > mostBusy {
			continue
		}
		now.Cores = append(now.Cores, LiveCore{host, min(1, busy)})
	}
	return now
}

func mean(rows []liveAt) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += r.value
	}
	return sum / float64(len(rows))
}

// grows is how much a counter grows in a second.
func grows(rows []liveAt) (float64, bool) {
	a, b := rows[0], rows[len(rows)-1]
	if b.at <= a.at || b.value < a.value {
		return 0, false
	}
	return (b.value - a.value) / (float64(b.at-a.at) / 1e9), true
}

// live tells who follows the run that a repeat of a cell begins, and what it can reach at most, as far as that is known beforehand.
func (s *session) live(c *Cell) {
	if s.cfg.Live == nil {
		return
	}
	var ceiling *record.Chain
	plain := len(c.Flows) == 0 && c.block == nil && c.copy == nil && wire(c.Exp.Method) == "stream" && c.Exp.Method != Verbs && c.Path.FromPort != nil
	if plain && c.Exp.Direction != "both" {
		if chain := c.chain(c.Path, c.Exp.Direction, s.conditions(c.Path)); chain.Limit > 0 {
			ceiling = &chain
		}
	}
	s.cfg.Live.begin(ceiling)
}
