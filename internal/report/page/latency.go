package page

import (
	"fmt"
	"html/template"
	"maps"
	"strings"

	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
	"linerate/internal/report/tables"
)

type latencyView struct {
	Title    string
	Headline string // the median and the 99th percentile
	Anchor   string
	Mark     string
	Chart    template.HTML
	Rows     [][2]string
	Facts    [][2]string
}

// latency returns the view of an experiment's round trips.
func (m *maker) latency(e *record.Experiment) latencyView {
	title := svg.Upper(chart.TripWords(e)) + " " + format.Clean(e.From) + " → " + format.Clean(e.To) + result.Through(e)
	settings := maps.Clone(e.Settings)
	if t := e.Transport(); t != "" && settings["transport"] != "" {
		settings["transport"] = t
	}
	if s := result.Settings(settings, "direction", "time", "repeats", "via"); s != "" {
		title += " (" + s + ")"
	}
	if e.Variant != "" {
		title += " [" + format.Clean(e.Variant) + "]"
	}
	v := latencyView{Title: title, Mark: latencyMark(m.run.Lab), Chart: m.Chart(chart.LatencyChart(e))}
	rows := func(l *record.Latency, name string) {
		if l == nil {
			return
		}
		for i, p := range tables.Percentiles() {
			text := format.Seconds(p.Of(l))
			if i < len(l.Percentiles) {
				if c := l.Percentiles[i]; c.Seconds == nil {
					text += ": " + format.Clean(c.Why)
				}
			}
			v.Rows = append(v.Rows, [2]string{p.Name + name, text})
		}
		v.Rows = append(v.Rows, [2]string{"max" + name, format.Seconds(l.Max)},
			[2]string{strings.Replace(chart.TripWords(e), "time of a request", "request", 1) + "s" + name, fmt.Sprint(l.Count)})
	}
	rows(e.Latency, "")
	if l := e.Latency; l != nil {
		v.Headline = "p50 " + format.Seconds(l.P50) + ", p99 " + format.Seconds(l.P99)
	}
	if e.Load != nil {
		rows(e.Load.Idle, " without the load")
	}
	v.Rows = tables.WithLoss(e, v.Rows)
	for _, f := range tables.PingFacts(e) {
		if f[0] != "counts" && f[0] != "too few" {
			v.Facts = append(v.Facts, f)
		}
	}
	for _, c := range e.Clocks {
		v.Facts = append(v.Facts, [2]string{"clock", tables.ClockText(c)})
	}
	return v
}
