package tables

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/style"
	"linerate/internal/report/terminal"
)

//go:embed certificate.html
var certificateTemplate string

// certificate is the result of one tested link.
type certificate struct {
	Name, Word, Class string // the experiment; passed, not passed, not known
	Link, Rate, When  string
	Says              []string // in sentences
	Ways              [][]string
	Ends              []certificateEnd
	Changed           [][]string
	Against, Unknown  []string
}

type certificateEnd struct {
	Host, Interface, NIC, Module string
	Rows                         [][]string // what, before, under load, behind, limit
}

// certificates returns those of a run, in its order.
func certificates(r *record.Run) []certificate {
	var out []certificate
	for _, e := range r.Experiments {
		if e.Acceptance == nil {
			continue
		}
		out = append(out, certificateOf(r, e))
	}
	return out
}

func certificateOf(r *record.Run, e *record.Experiment) certificate {
	a := e.Acceptance
	c := certificate{Name: format.Clean(e.Name), Link: format.Clean(strings.Join(e.Links, ", ")),
		Against: format.Cleaned(a.Against), Unknown: format.Cleaned(a.Unknown)}
	switch {
	case a.Passed == nil:
		c.Word, c.Class = "not known", "unknown"
	case *a.Passed:
		c.Word, c.Class = "passed", "met"
	default:
		c.Word, c.Class = "not passed", "missed"
	}
	if len(e.Repeats) > 0 {
		c.When = e.Repeats[0].Start.UTC().Format("2006-01-02 15:04 UTC")
	}
	carried := func(x *record.Estimate) string {
		if x == nil {
			return "not known"
		}
		return unit.BitRate(x.Median).String()
	}
	said := fmt.Sprintf("The link was loaded both ways for %s: %s -> %s carried %s, %s -> %s %s",
		unit.Seconds(a.Seconds), format.Clean(e.From), format.Clean(e.To), carried(e.Forward), format.Clean(e.To),
		format.Clean(e.From), carried(e.Backward))
	if e.Ceiling != nil && e.Forward != nil && e.Backward != nil && e.Ceiling.Limit > 0 {
		limit := float64(e.Ceiling.Limit)
		if e.Direction == "both" { // it is that of both directions together
			limit = float64(e.Ceiling.OneWay(unit.If(e.Forward.Median < e.Backward.Median, e.From, e.To)))
		}
		said += fmt.Sprintf(", the slower direction %s of what %s allows in one",
			unit.Percent(min(e.Forward.Median, e.Backward.Median)/limit), format.Clean(e.Ceiling.Component))
	}
	c.Says = append(c.Says, said+".")
	switch a.Loop {
	case record.LoopOfNIC:
		c.Says = append(c.Says,
			"Both ports are of one NIC, and the cable joins them: its PCI Express carries the traffic of both, and bounds "+
				"them together.")
	case record.LoopOfMachine:
		c.Says = append(c.Says, "Both ports are of one machine, and the cable joins them.")
	}
	for _, w := range a.Ways {
		c.Says = append(c.Says, wayText(w, a.Confidence))
		row := []string{format.Clean(w.From) + " -> " + format.Clean(w.To), "not known", "not known", "not known",
			format.Clean(w.Source)}
		if w.Bits != nil {
			row[1] = powers(float64(*w.Bits))
		}
		if w.Errors != nil {
			row[2] = fmt.Sprint(*w.Errors)
		}
		if w.Bound != nil {
			row[3] = "below " + powers(*w.Bound)
		}
		c.Ways = append(c.Ways, row)
	}
	switch n := len(a.Changed); {
	case a.Watched == 0:
		c.Says = append(c.Says, "No counter of trouble was read: neither driver has any that is known here.")
	case n == 0:
		c.Says = append(c.Says, fmt.Sprintf("Of %s of trouble none moved.", unit.Counted(a.Watched, "counter")))
	default:
		c.Says = append(c.Says, fmt.Sprintf("Of %s of trouble %d moved.", unit.Counted(a.Watched, "counter"), n))
	}
	c.Says = append(c.Says, heatText(a.Ends))
	for _, x := range a.Changed {
		c.Changed = append(c.Changed,
			[]string{format.Clean(x.Host), format.Clean(x.What), fmt.Sprint(x.Before), fmt.Sprint(x.After),
				format.Clean(x.Line)})
	}
	c.Ends = xslices.Map(a.Ends, acceptedEnd)
	if r.Lab != nil {
		c.Says = append(c.Says,
			"This was a lab on one machine: it shows how the test works, and says nothing of a NIC or cable.")
	}
	return c
}

func wayText(w record.AcceptanceWay, confidence float64) string {
	way := format.Clean(w.From) + " -> " + format.Clean(w.To) + ": "
	if w.Bound == nil {
		return way + "the rate of bit errors is not known: " + format.Clean(w.Source) + "."
	}
	errors := "no damaged frame"
	if *w.Errors > 0 {
		errors = unit.Counted(int(*w.Errors), "damaged frame")
	}
	return fmt.Sprintf("%s%s in %s bits: with %s confidence fewer than %s of all bits are wrong.", way, errors,
		powers(float64(*w.Bits)), unit.Percent(confidence), powers(*w.Bound))
}

// heatText describes the distance of the sensors from their own limits.
func heatText(ends []record.AcceptanceEnd) string {
	sensors, limited := 0, 0
	nearest, text := 0.0, ""
	for _, end := range ends {
		for _, h := range end.Heat {
			sensors++
			if h.Limit == nil {
				continue
			}
			limited++
			for _, now := range h.Now {
				if now != nil && (text == "" || *h.Limit-*now < nearest) {
					nearest = *h.Limit - *now
					text = fmt.Sprintf("%s: %s: %.0f °C, its own limit is %.0f °C", format.Clean(end.Host), format.Clean(h.Sensor),
						*now, *h.Limit)
				}
			}
		}
	}
	switch {
	case sensors == 0:
		return "No temperature was read: neither the NICs nor the modules have a sensor that is known here."
	case text == "":
		return fmt.Sprintf("Of %s of temperature none names its own limit.", unit.Counted(sensors, "sensor"))
	}
	return fmt.Sprintf("Of %s of temperature that name their own limit the nearest to it was %s.",
		unit.Counted(limited, "sensor"), text)
}

// powers is a number in two digits and a power of ten: 3.1e12, 9.7e-13.
func powers(v float64) string {
	s := fmt.Sprintf("%.1e", v)
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(s)
}

func acceptedEnd(end record.AcceptanceEnd) certificateEnd {
	v := certificateEnd{Host: format.Clean(end.Host), Interface: format.Clean(end.Interface),
		NIC: format.Clean(end.NIC), Module: format.Clean(end.Module)}
	v.NIC = cmp.Or(v.NIC, "not known")
	bus := []string{"PCI Express", "", "", "", ""}
	for i, b := range end.Bus {
		if bus[i+1] = format.Clean(b); b == "" {
			bus[i+1] = "not known"
		}
	}
	v.Rows = append(v.Rows, bus)
	for _, h := range end.Heat {
		row := []string{format.Clean(h.Sensor), "not known", "not known", "not known", ""}
		for i, now := range h.Now {
			if now != nil {
				row[i+1] = fmt.Sprintf("%.0f °C", *now)
			}
		}
		if h.Limit != nil {
			row[4] = fmt.Sprintf("%.0f °C", *h.Limit)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// PrintCertified prints the certificates of a run.
func PrintCertified(l *terminal.Lines, r *record.Run) {
	for _, c := range certificates(r) {
		l.Gap()
		s := unit.If(c.Class == "missed", terminal.Accent, terminal.Bold)
		l.Text(s, 0, fmt.Sprintf("acceptance of %s: %s", c.Link, c.Word))
		for _, text := range c.Says {
			l.Text(terminal.Normal, 2, text)
		}
		l.Items(2, 9, "against", c.Against)
		l.Items(2, 9, "not known", c.Unknown)
		for _, end := range c.Ends {
			nic := end.NIC
			if end.Interface != end.Host {
				nic = end.Interface + ": " + nic
			}
			l.Item(2, 9, end.Host, terminal.Normal, nic)
			for _, row := range end.Rows {
				text := fmt.Sprintf("%s: %s, under load %s, behind %s", row[0], row[1], row[2], row[3])
				if row[4] != "" {
					text += ", limit " + row[4]
				}
				l.Item(2, 9, "", terminal.Normal, text)
			}
		}
	}
}

// Certificate writes the certificates of a run's acceptances as one page to print; ok is false if it has none.
func Certificate(w io.Writer, r *record.Run) (ok bool, err error) {
	all := certificates(r)
	if len(all) == 0 {
		return false, nil
	}
	t, err := template.New("certificate").Parse(certificateTemplate)
	if err != nil {
		return true, fmt.Errorf("report: the certificate's template: %w", err)
	}
	css := style.Colours() + style.Page
	return true, t.Execute(w, map[string]any{"Style": template.CSS(css),
		"Policy": "default-src 'none'; style-src '" + style.Hash(css) + "'; base-uri 'none'; form-action 'none'",
		"All":    all, "Version": format.Clean(r.Version), "Run": format.Clean(r.ID), "Fabric": format.Clean(r.Fabric)})
}
