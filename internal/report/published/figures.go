package published

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

const emulated = "it is of an emulated machine, and such figures say what works, never how fast hardware is"

// figureOf returns an experiment's figure for a metric, in the baseline's units.
func figureOf(e *record.Experiment, metric string) (record.Estimate, bool) {
	is := func(v *record.Estimate) (record.Estimate, bool) {
		if v == nil || v.Median <= 0 {
			return record.Estimate{}, false
		}
		return *v, true
	}
	switch metric {
	case "goodput":
		return is(e.Goodput)
	case "bytes_per_second":
		return is(e.Bytes)
	case "iops":
		return is(e.IOPS)
	case "seconds":
		return is(e.Seconds)
	case "figure":
		return is(e.Figure)
	case "goodput.stream":
		return each(e, func(r record.Repeat) []float64 {
			return xslices.Map(r.Streams, func(s record.Stream) float64 { return s.Goodput })
		})
	case "latency.p50":
		if got, ok := each(e, func(r record.Repeat) []float64 { return []float64{r.P50} }); ok {
			return got, true
		}
		if e.Latency != nil && e.Latency.P50 > 0 {
			return record.Estimate{Median: e.Latency.P50, Low: e.Latency.P50, High: e.Latency.P50}, true
		}
	case "cpu":
		return each(e, func(r record.Repeat) []float64 { return []float64{asking(r).Percent / 100} })
	case "iops/cpu":
		return each(e, func(r record.Repeat) []float64 { return []float64{asking(r).IOPS} })
	}
	return record.Estimate{}, false
}

func asking(r record.Repeat) record.WorkPerPercent {
	if r.Block == nil || r.Block.PerPercentAsking == nil {
		return record.WorkPerPercent{}
	}
	return *r.Block.PerPercentAsking
}

// each returns the median of a figure over the repeats. Several values in one repeat, such as those of streams that
// share a link, count as their median, because they are not independent.
func each(e *record.Experiment, of func(record.Repeat) []float64) (record.Estimate, bool) {
	var all []float64
	for _, r := range e.Repeats {
		there := slices.DeleteFunc(of(r), func(v float64) bool { return v <= 0 })
		if s, err := stat.Summarize(there); err == nil {
			all = append(all, s.Median)
		}
	}
	s, err := stat.Summarize(all)
	if err != nil {
		return record.Estimate{}, false
	}
	return record.Estimate{Median: s.Median, Low: s.Low, High: s.High, Interval: s.Interval, Repeats: len(all)}, true
}

// rateOf returns the lowest planned rate of the links of an experiment; 0: not known.
func rateOf(r *record.Run, e *record.Experiment) float64 {
	least := 0.0
	for _, name := range e.Links {
		for _, l := range r.Plan.Links {
			if l.Name == name && l.Rate > 0 && (least == 0 || float64(l.Rate) < least) {
				least = float64(l.Rate)
			}
		}
	}
	return least
}

// mtuOf returns the MTU of an experiment; 0: not known.
func mtuOf(e *record.Experiment) int {
	for _, m := range []map[string]string{e.Settings, e.InEffect} {
		if v, ok := plainNumber(m["mtu"]); ok {
			return int(v)
		}
	}
	if e.Ceiling != nil {
		for _, h := range e.Ceiling.Hops {
			for _, in := range h.Inputs {
				if in.Name == "mtu" {
					return int(in.Value)
				}
			}
		}
	}
	return 0
}

// conditions returns which of an experiment's conditions differ from the document's, and which are equal: MTU and the
// link's rate.
func conditions(r *record.Run, row *Row, e *record.Experiment) (differs, same []string) {
	mtu, rate := mtuOf(e), rateOf(r, e)
	of := func(what, theirs, yours string, equal bool) {
		switch {
		case equal:
			same = append(same, what+" "+theirs)
		default:
			differs = append(differs, fmt.Sprintf("%s %s to %s", what, theirs, yours))
		}
	}
	name := func(v int) string {
		if v == 0 {
			return "not known"
		}
		return fmt.Sprint(v)
	}
	if row.MTU > 0 || mtu > 0 && method.Named(row.Is["method"]).Bulk {
		of("MTU", name(row.MTU), name(mtu), row.MTU == mtu)
	}
	if row.Rate > 0 {
		yours := "not known"
		if rate > 0 {
			yours = unit.BitRate(rate).String()
		}
		of("link", unit.BitRate(row.Rate).String(), yours, row.Rate == rate)
	}
	if r.Lab != nil && r.Lab.Scale > 0 && r.Lab.Scale < 1 &&
		(row.Rate > 0 || row.Metric == "goodput" && method.Named(e.Method).Bulk) {
		differs = append(differs, "lab: every rate at "+unit.Scale(r.Lab.Scale)+" of the planned one")
	}
	return differs, same
}

// notSpeed returns why a figure of a run is not comparable with the document's speed. It is empty if it is.
func notSpeed(r *record.Run, e *record.Experiment, row *Row) string {
	switch {
	case e.Emulated:
		return "no ratio: " + emulated
	case r.Lab == nil:
		return ""
	case method.Named(e.Method).Stores || method.Named(e.Method).CopiesFiles:
		return "no ratio: yours is of a lab, whose drives are folders of one machine"
	case row.Metric == "goodput" && r.Lab.Scale < 1:
		return fmt.Sprintf("no ratio: yours is of a lab at %s of the link's rate; the shares of the ceilings are compared",
			unit.Scale(r.Lab.Scale))
	case row.Metric == "goodput":
		return "no ratio: yours is of a lab on one machine; the shares of the ceilings are compared"
	}
	return "no ratio: yours is of a lab on one machine, without NICs, cables and slots"
}

// linkShare returns the rate of a run's link, in bits per second, that of a lab at its scale; 0: not known.
func linkShare(r *record.Run, e *record.Experiment) float64 {
	rate := rateOf(r, e)
	if r.Lab != nil {
		rate *= r.Lab.Scale
	}
	return rate
}

// besides adds to the reason for a missing ratio what replaces it: the known shares, or nothing.
func besides(c *record.Comparison) {
	const shares = "; the shares of the ceilings are compared"
	switch s := c.Published.Shares; {
	case s == nil:
		c.Why = strings.TrimSuffix(c.Why, shares)
	case s.Formula == record.OfLink && strings.HasSuffix(c.Why, shares):
		c.Why = strings.TrimSuffix(c.Why, shares) + "; the shares of the links' rates are compared"
	}
}

// share adds both figures' shares of their ceilings, where both are known: goodput of TCP over a link whose rate and
// MTU the document gives.
func share(c *record.Comparison, r *record.Run, b *Baseline, row *Row, e *record.Experiment, mine record.Estimate) {
	if row.Metric != "goodput" || !method.Named(e.Method).Bulk || e.Ceiling == nil || e.Emulated || row.Rate == 0 {
		return
	}
	if row.MTU == 0 { // no ceiling of the document's is known
		if link := linkShare(r, e); link > 0 {
			c.Published.Shares = &record.PublishedShares{Yours: mine.Median / link, Theirs: c.Base.Median / row.Rate,
				Ceiling: row.Rate, Formula: record.OfLink}
		}
		return
	}
	yours := float64(e.Ceiling.Planned())
	sent, why := b.timestamps()
	theirs, err := ceiling.TCPOverEthernet(unit.BitRate(row.Rate), ceiling.Ethernet{MTU: row.MTU, Timestamps: sent})
	if err != nil || yours <= 0 || theirs.Rate <= 0 {
		return
	}
	c.Published.Shares = &record.PublishedShares{Yours: mine.Median / yours,
		Theirs: c.Base.Median / float64(theirs.Rate), Ceiling: float64(theirs.Rate), Formula: theirs.Formula + "; " + why}
}

// timestamps reports whether the document's TCP carried timestamps, which take 12 bytes of each packet. Both ends must
// enable them (RFC 7323, section 3.2), and Windows by default does not. A run's own ceiling has those of its hosts.
func (b *Baseline) timestamps() (sent bool, why string) {
	for _, s := range b.Systems {
		if strings.Contains(s.System, "Win") && !strings.Contains(s.System, "Linux") {
			return false, "without TCP timestamps, as the " + s.Name + " with Windows sends none"
		}
	}
	return true, "with TCP timestamps assumed, which Linux and FreeBSD send"
}
