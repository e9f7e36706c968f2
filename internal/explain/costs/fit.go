package costs

import (
	"errors"
	"fmt"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

// Apart is the ratio of the largest to the smallest packet from which on their cost can be separated from that of
// bytes.
const Apart = 1.35

// fit finds the costs of a group. Each repeat of all combinations gives one fit, so that the spread over repeats is the
// spread of the costs.
func (g *costOf) fit() record.Cost {
	c := g.cost
	c.Repeats = g.repeats()
	for _, x := range g.combinations {
		c.Combinations = append(c.Combinations, x.fitted(nil))
	}
	if c.Repeats == 0 {
		c.Why = "the CPU time of " + c.Host + " was not read in full"
		return c
	}
	columns, why := g.columns(c.Merged)
	c.Why = why
	rounds := make([][]float64, len(columns)) // a column each
	for i := range c.Repeats {
		found, _, err := stat.Fit(g.matrix(columns, func(x costCombination) float64 { return x.rate[i] }),
			g.used(func(x costCombination) float64 { return x.cores[i] }))
		if err != nil {
			c.Why = g.inseparable(err)
			return c
		}
		for j, v := range found {
			rounds[j] = append(rounds[j], v)
		}
	}
	parts := make([]float64, len(columns))
	for j, column := range columns {
		s, err := stat.Summarize(rounds[j])
		if err != nil {
			c.Why = err.Error()
			return c
		}
		if s.Median <= 0 {
			c.PerPacket, c.PerByte, c.PerCall = nil, nil, nil
			c.Why = fmt.Sprintf("the fit gives a %s no cost or less than none: the combinations scatter more than their costs "+
				"differ; more repeats on a quiet machine, or an MTU further away, tell them apart", column.name)
			return c
		}
		parts[j] = s.Median
		*column.into(&c) = &record.Estimate{Median: s.Median, Low: s.Low, High: s.High, Interval: string(s.Interval),
			Repeats: s.N}
	}
	worst := 0.0
	for i, x := range g.combinations {
		c.Combinations[i] = x.fitted(func(bytes float64) (t float64) {
			for j, column := range columns {
				t += parts[j] * column.of(x, bytes)
			}
			return t
		})
		worst = max(worst, c.Combinations[i].Measured/c.Combinations[i].Fitted-1,
			1-c.Combinations[i].Measured/c.Combinations[i].Fitted)
	}
	if len(g.combinations) > len(columns) {
		c.Residual = &worst
	}
	return c
}

// column is one part of the cost.
type column struct {
	name string
	of   func(c costCombination, bytes float64) float64 // their number in these bytes of payload
	into func(*record.Cost) **record.Estimate
}

// columns returns the parts that the group's combinations can separate, and why one is not among them.
func (g *costOf) columns(merged []string) (out []column, why string) {
	low, high := g.combinations[0].packet, g.combinations[0].packet
	calls := g.varies(func(c costCombination) string { return c.combination.Size })
	for _, c := range g.combinations {
		low, high = min(low, c.packet), max(high, c.packet)
		calls = calls && c.call > 0
	}
	mtus := g.varies(func(c costCombination) string { return c.combination.MTU })
	switch {
	case !mtus:
		why = fmt.Sprintf("every combination has MTU %s, so the cost of packets is within that of the bytes; another "+
			"MTU separates them", g.combinations[0].combination.MTU)
	case low <= 0:
		why = "packets were not counted in every combination, so their cost is not known apart"
	case high < low*Apart && len(merged) > 0:
		why = fmt.Sprintf("packets are merged (%s): at every MTU those that the CPU handles have about %.0f bytes; "+
			"with the offloads off each has its own cost (in the lab: --offloads off)",
			strings.Join(merged, ", "), high)
	case high < low*Apart:
		why = fmt.Sprintf("all packets have %.0f to %.0f bytes of payload, so their cost is within that of the bytes; "+
			"another MTU shows them apart", low, high)
	default:
		out = append(out, column{"packet", func(c costCombination, bytes float64) float64 { return bytes / c.packet },
			func(c *record.Cost) **record.Estimate { return &c.PerPacket }})
	}
	out = append(out, column{"byte", func(_ costCombination, bytes float64) float64 { return bytes },
		func(c *record.Cost) **record.Estimate { return &c.PerByte }})
	if calls {
		out = append(out, column{"call", func(c costCombination, bytes float64) float64 { return bytes / c.call },
			func(c *record.Cost) **record.Estimate { return &c.PerCall }})
	}
	return out, why
}

func (g *costOf) inseparable(err error) string {
	if errors.Is(err, stat.ErrInseparable) {
		return "packets, bytes and calls vary together in these combinations, so their costs cannot be separated; measure " +
			"another MTU, or another message size"
	}
	return err.Error()
}

// repeats returns the number of repeats that every combination has.
func (g *costOf) repeats() int {
	n := len(g.combinations[0].cores)
	for _, c := range g.combinations {
		n = min(n, len(c.cores))
	}
	return n
}

func (g *costOf) matrix(columns []column, rate func(costCombination) float64) [][]float64 {
	var rows [][]float64
	for _, c := range g.combinations {
		row := xslices.Map(columns, func(column column) float64 { return column.of(c, rate(c)) })
		rows = append(rows, row)
	}
	return rows
}

func (g *costOf) used(of func(costCombination) float64) []float64 {
	return xslices.Map(g.combinations, func(c costCombination) float64 { return of(c) })
}

// fitted returns the combination for the record. cost, if not nil, returns the CPU time of a number of bytes.
func (c costCombination) fitted(cost func(bytes float64) float64) record.CostCombination {
	out := c.combination
	var each []float64
	for i := range c.cores {
		each = append(each, 8*c.rate[i]/c.cores[i])
	}
	if v, err := stat.Median(each); err == nil {
		out.Measured = v
	}
	if v, err := stat.Median(c.cores); err == nil {
		out.Cores = v
	}
	if cost != nil {
		if t := cost(1); t > 0 {
			out.Fitted = 8 / t
		}
	}
	return out
}
