package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// HeatMap is the measured share of the ceiling from each host to each other one: a table whose fields are shaded.
type HeatMap struct {
	Hosts []string // the names of the columns
	Rows  []HeatRow
	Note  string
}

// HeatRow is the host that sends.
type HeatRow struct {
	Host   string
	Fields []HeatField
}

// HeatField is a share as text, with the class of its shade.
type HeatField struct{ Text, Class string }

const (
	leastHeatHosts = 8  // below them, the chart of all paths shows the same
	mostHeatHosts  = 40 // on a page of its size
)

// HeatMapOf returns the heat map of the hosts of a run between which goodput was measured one way, in the order of
// names; nil for fewer than eight. Of several measurements of a path the one farthest below its ceiling counts.
func HeatMapOf(rows []result.Row, names []string) *HeatMap {
	shares := map[[2]string]float64{}
	var paths [][2]string
	for _, r := range rows {
		share, ok := Slowest(r).Share()
		if !ok || !(share >= 0) || r.Both || r.Among || r.Pattern != "" || r.From == r.To {
			continue
		}
		path := [2]string{r.From, r.To}
		of, known := shares[path]
		if !known {
			paths = append(paths, path)
		}
		if !known || share < of {
			shares[path] = share
		}
	}
	hosts := slowestFirst(paths, shares)
	if len(hosts) < leastHeatHosts {
		return nil
	}
	var notes []string
	if n := len(hosts) - mostHeatHosts; n > 0 {
		hosts = hosts[:mostHeatHosts]
		notes = append(notes, unit.Counted(n, "more host")+" with paths nearer to their ceiling: see the table of paths.")
	}
	measured := xslices.SetOf(paths, func(p [2]string) string { return p[0] })
	for _, p := range paths {
		measured[p[1]] = true
	}
	if n := xslices.Count(names, func(h string) bool { return !measured[h] }); n > 0 {
		notes = append(notes, unit.Counted(n, "host")+" without a measured path: not in the map.")
	}
	place := map[string]int{}
	for i, h := range names {
		place[h] = i
	}
	slices.SortStableFunc(hosts, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
	v := &HeatMap{Hosts: format.Cleaned(hosts), Note: strings.Join(notes, " ")}
	for _, from := range hosts {
		row := HeatRow{Host: format.Clean(from)}
		for _, to := range hosts {
			row.Fields = append(row.Fields, heatField(from, to, shares))
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// slowestFirst returns the hosts of paths: first those with the lowest share on any path, and of equal ones those with
// the lowest mean.
func slowestFirst(paths [][2]string, shares map[[2]string]float64) []string {
	type host struct {
		low, sum, n float64
	}
	of := map[string]*host{}
	var names []string
	for _, p := range paths {
		for _, name := range p {
			if of[name] == nil {
				of[name] = &host{low: shares[p]}
				names = append(names, name)
			}
			h := of[name]
			h.low, h.sum, h.n = min(h.low, shares[p]), h.sum+shares[p], h.n+1
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := of[a], of[b]
		return cmp.Or(cmp.Compare(x.low, y.low), cmp.Compare(x.sum/x.n, y.sum/y.n))
	})
	return names
}

// heatSteps are the shares below which a field has a stronger shade.
var heatSteps = [...]float64{0.98, 0.95, 0.9, 0.8, 0.65, 0.5}

func heatField(from, to string, shares map[[2]string]float64) HeatField {
	share, ok := shares[[2]string{from, to}]
	switch {
	case from == to:
		return HeatField{"\u2013", "same"}
	case !ok:
		return HeatField{"not measured", "none"}
	}
	shade := 0
	for _, s := range heatSteps {
		if share < s {
			shade++
		}
	}
	return HeatField{unit.Percent(share), fmt.Sprintf("h%d", shade)}
}
