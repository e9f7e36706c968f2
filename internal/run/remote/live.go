package remote

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

// Live has the current figures of the running repeat, from the samples that its ends send anyway, so it causes no
// further requests. A nil Live accepts samples and returns nothing.
type Live struct {
	mu      sync.Mutex
	ceiling *record.Chain
	sources int
	newest  int64 // of all readings, controller's wall clock
	rows    map[liveKey][]liveAt
}

// Now is the last second of a repeat. Figures that its method does not have, or not yet, are nil.
type Now struct {
	Goodput *float64 // bits per second of all receivers together
	Latency *float64 // seconds: the slowest round trip
	IOPS    *float64 // requests a second of all requesting hosts
	Bytes   *float64 // bytes per second of those requests
	// bits per second over the busiest interface, headers included, where the method has nothing else
	Link    *float64
	Ceiling *record.Chain // of Goodput; nil: not known before the first repeat is over
	Cores   []LiveCore    // by host
}

// maxBusy is the maximum share of a core that is plausible, given the ticks of its counters and the times of reading. A
// higher value is not a share of a core: the clock of the host, mostly an emulated machine, differs from that of its
// CPU, and the share is not known.
const maxBusy = 1.25

// LiveCore is the busiest core of a host: 1 is all of it.
type LiveCore struct {
	Host string
	Busy float64
}

// liveSpan is the age of the oldest reading that counts, and maxLiveAge the time after which a source without readings
// no longer counts.
const (
	liveSpan   = int64(time.Second)
	maxLiveAge = 3 * int64(time.Second)
)

// liveKey is one series of readings: several experiments of one host number their streams alike.
type liveKey struct {
	source, stream int
	host, metric   string
}

type liveAt struct {
	at    int64
	value float64
}

// Begin forgets the previous repeat.
func (l *Live) Begin(ceiling *record.Chain) {
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

// isLiveMetric reports whether Now uses a metric.
func isLiveMetric(metric string) bool {
	switch metric {
	case "goodput", "latency.max", "reads", "writes", "read_bytes", "written_bytes", "link.rx_bytes", "link.tx_bytes":
		return true
	}
	return strings.HasPrefix(metric, "core.") && !strings.HasSuffix(metric, ".idle") &&
		!strings.HasSuffix(metric, ".steal")
}

// add adds samples of one source.
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
		if !isLiveMetric(r.Metric) {
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

// Now returns the figures of the last second.
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
		if rows[len(rows)-1].at < l.newest-maxLiveAge {
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
		busiest := slices.Max(slices.Collect(maps.Values(links)))
		now.Link = &busiest
	}
	for _, host := range slices.Sorted(maps.Keys(cores)) {
		busy := slices.Max(slices.Collect(maps.Values(cores[host])))
		if busy > maxBusy {
			continue
		}
		now.Cores = append(now.Cores, LiveCore{host, min(1, busy)})
	}
	return now
}

func mean(rows []liveAt) float64 {
	sum := xslices.Sum(rows, func(r liveAt) float64 { return r.value })
	return sum / float64(len(rows))
}

// grows is the growth of a counter in a second.
func grows(rows []liveAt) (float64, bool) {
	a, b := rows[0], rows[len(rows)-1]
	if b.at <= a.at || b.value < a.value {
		return 0, false
	}
	return (b.value - a.value) / (float64(b.at-a.at) / 1e9), true
}
