package halo

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/halo"
)

// outcome is the result of one host of an exchange.
type outcome struct {
	host    string
	address netip.Addr
	offset  int64 // of its clock, relative to the clock of reference
	out     *traffic.Outcome
}

// join combines the results of all ends.
func join(s Spec, ends []End, sides []*remote.End, here *traffic.Work) (record.Repeat, error) {
	var all []outcome
	for i, e := range sides {
		all = append(all, outcome{e.Host, ends[i].Address, e.Client.Clock().Nanoseconds, e.Outcome})
	}
	r, err := recordOf(s, all)
	if err == nil {
		remote.JoinCPU(&r, sides, here, false)
	}
	return r, err
}

// recordOf makes the repeat from the outcomes of all hosts, without their CPUs.
func recordOf(s Spec, ends []outcome) (record.Repeat, error) {
	r := record.Repeat{Seconds: s.Interval.Seconds(), Slice: ends[0].out.Slice}
	g := halo.GridOf(s.Processes)
	h := &record.Halo{Processes: s.Processes, Columns: g.Columns, Rows: g.Rows, Tile: s.Tile,
		Transport: cmp.Or(s.Transport, traffic.TCP)}
	var roundTrips []string
	var first, last int64
	for _, e := range ends {
		o := e.out.Halo
		if o == nil {
			return r, fmt.Errorf("%s says nothing of its processes; use the same version of linerate on all hosts", e.host)
		}
		h.Exchange, h.Wait, h.Link, h.Soft = o.Exchange, o.Wait, o.Link, h.Soft || o.Soft
		h.Remote, h.Local, h.Self, h.Checked = h.Remote+o.Remote, h.Local+o.Local, h.Self+o.Self, h.Checked+o.Checked
		h.Hosts = append(h.Hosts,
			record.HaloHost{Host: e.host, Address: e.address.String(), Ranks: len(o.Ranks), Device: o.Device})
		if o.Crowded {
			h.Crowded = append(h.Crowded, e.host)
		}
		if at := o.LeftNS[0] - e.offset; first == 0 || at < first {
			first = at
		}
		if at := o.LeftNS[1] - e.offset; last == 0 || at > last {
			last = at
		}
		for _, one := range o.Ranks {
			h.Ranks = append(
				h.Ranks,
				record.HaloRank{Rank: one.Rank, Host: e.host, Core: one.Core, Remote: one.Remote,
					Exchanges: one.Exchanges, Seconds: one.Mean(), RTTSamples: one.RTTSamples},
			)
		}
		roundTrips = append(roundTrips, e.out.Histogram)
		for _, w := range e.out.Warnings {
			r.Warnings = append(r.Warnings, e.host+": "+w)
		}
	}
	slices.SortFunc(h.Ranks, func(a, b record.HaloRank) int { return a.Rank - b.Rank })
	for _, one := range h.Ranks {
		if one.Exchanges < 2 {
			return r, fmt.Errorf(
				"rank %d on %s was through with %d exchanges in the interval of %v, and a time needs two; ask for a longer "+
					"time (time: %v), or fewer processes",
				one.Rank,
				one.Host,
				one.Exchanges,
				s.Interval,
				4*s.Interval,
			)
		}
		if one.Seconds > h.Seconds {
			h.Seconds, h.Exchanges = one.Seconds, one.Exchanges
		}
	}
	h.Skew = float64(last-first) / 1e9
	r.Halo, r.Skew = h, h.Skew
	all, err := remote.AddHistograms(roundTrips...)
	if err != nil {
		return r, err
	}
	if r.RTTSamples = all.Count(); r.RTTSamples > 0 {
		r.P50 = all.Quantile(0.5)
		if r.Histogram, err = all.Encode(); err != nil {
			return r, err
		}
	}
	if len(h.Crowded) > 0 {
		r.Warnings = append(
			r.Warnings,
			fmt.Sprintf("%s: fewer cores than processes: they take turns, and the figure has the waiting in it",
				strings.Join(h.Crowded, ", ")),
		)
	}
	r.InEffect = inEffect(h)
	return r, nil
}

func inEffect(h *record.Halo) map[string]string {
	m := map[string]string{"transport": h.Transport, "exchange": h.Exchange, "wait": h.Wait,
		"processes": fmt.Sprint(h.Processes), "tiles": fmt.Sprint(h.Tile),
		"grid": fmt.Sprintf("%d x %d", h.Columns, h.Rows), "release skew": fmt.Sprintf("%.2g ms", h.Skew*1e3),
		"neighbours": fmt.Sprintf("%d remote, %d on the same host (memory)", h.Remote, h.Local)}
	if h.Self > 0 {
		m["neighbours"] += fmt.Sprintf(", %d the process itself", h.Self)
	}
	if how := cmp.Or(h.Link, h.Library); how != "" {
		m["transport"] += " " + how
	}
	var spread []string
	free := true
	for _, host := range h.Hosts {
		spread = append(spread, fmt.Sprintf("%s %d", host.Host, host.Ranks))
	}
	for _, r := range h.Ranks {
		free = free && r.Core < 0
	}
	m["ranks"] = "in turn: " + strings.Join(spread, ", ")
	m["placement"] = "a core each"
	if free {
		m["placement"] = "free"
	}
	return m
}
