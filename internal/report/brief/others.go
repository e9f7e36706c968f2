package brief

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
)

// other is a line about experiments that are not in the table of links.
type other struct {
	kind, path, figure, text string
	of                       []*record.Experiment // that it stands for
}

// others are storage, copies, RDMA, round trips and commands, a line each.
func (b *brief) others() section {
	l := b.text()
	storage := b.storage()
	if len(storage) > 0 && b.run.Lab != nil {
		l.Line(l.Ink(terminal.Bold, "storage"), " (folders of this machine: no figure of your drives)")
	}
	print := func(all []other) {
		for _, line := range linesOf(all, l.Width) {
			l.Line(l.Ink(terminal.Normal, line))
		}
	}
	print(storage)
	print(append(b.storageFree(), b.costs()...))
	for _, s := range b.compared() {
		item(l, 8, "compared", s)
	}
	return of(l, 3)
}

// between is the range of a figure over experiments: "1.18 GB/s", "0.52 to 1.18 GB/s".
func between(all []*record.Experiment, value func(*record.Experiment) (float64, bool),
	text func(float64) string) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range all {
		if v, ok := value(e); ok {
			low, high = min(low, v), max(high, v)
		}
	}
	if math.IsInf(low, 0) {
		return ""
	}
	a, z := text(low), text(high)
	if a == z {
		return z
	}
	if x, y, ok := format.SameUnit(a, z); ok {
		a, z = x, y
	}
	return a + " to " + z
}

// settings says how many settings a line stands for.
func settings(all []*record.Experiment) string {
	return fmt.Sprintf("%d settings: --all", len(all))
}

func bytesOf(e *record.Experiment) (float64, bool) {
	if e.Bytes == nil {
		return 0, false
	}
	return e.Bytes.Median, true
}

// storage are the reads, writes and copies.
func (b *brief) storage() (out []other) {
	for _, g := range result.Tables(b.run, ": ", result.IsBlock) {
		e := g.All[0]
		from, to := format.Clean(e.To), format.Clean(e.From)
		kind := "storage"
		if len(g.All) == 1 {
			switch share, err := unit.ParsePercent(cmp.Or(e.Settings["read"], "100%")); {
			case err != nil:
			case share >= 1:
				kind = "read"
			case share <= 0:
				kind, from, to = "write", to, from
			default:
				kind = "mixed"
			}
		}
		o := other{kind: kind, path: from + " -> " + to, figure: between(g.All, bytesOf, unit.BytesPerSecond),
			of: g.All}
		if len(g.All) > 1 {
			o.text = settings(g.All)
		} else {
			o.text = strings.TrimSpace(result.Value(e.Settings["size"]) + " " + format.Clean(access(e)))
		}
		if over := export(e); over != "" {
			o.text += " over " + over
		}
		if e.IOPS != nil && len(g.All) == 1 {
			o.text += ", " + unit.Count(e.IOPS.Median) + " IOPS"
		}
		out = append(out, o)
	}
	for _, g := range result.Tables(b.run, ": ",
		func(e *record.Experiment) bool { return e.Copy != nil && e.Bytes != nil && e.Seconds != nil }) {
		e := g.All[0]
		o := other{kind: "copy", path: format.Clean(e.Path()), figure: between(g.All, bytesOf, unit.BytesPerSecond),
			of: g.All}
		if len(g.All) > 1 {
			o.text = settings(g.All)
		} else {
			o.text = unit.Bytes(e.Copy.Bytes).String() + " in " + unit.Seconds(e.Seconds.Median)
		}
		if e.Copy.Over != "" && e.Copy.Over != "path" {
			o.text += " over " + strings.ToUpper(format.Clean(e.Copy.Over))
		}
		out = append(out, o)
	}
	return out
}

func access(e *record.Experiment) string { return cmp.Or(e.Settings["load"], e.Settings["access"]) }

// protocols are the usual spellings.
var protocols = map[string]string{"nvme-tcp": "NVMe/TCP", "iscsi": "iSCSI", "nbd": "NBD", "nfs": "NFS", "smb": "SMB"}

// export is the protocol that reaches the storage; empty: the host has it itself.
func export(e *record.Experiment) string {
	for _, w := range e.Block.Workers {
		if w.Export != nil {
			return cmp.Or(protocols[w.Export.Protocol], format.Clean(w.Export.Protocol))
		}
	}
	return ""
}

// storageFree are the experiments of all other methods.
func (b *brief) storageFree() (out []other) {
	seconds := func(of func(*record.Experiment) *record.Estimate) func(*record.Experiment) (float64, bool) {
		return func(e *record.Experiment) (float64, bool) {
			if x := of(e); x != nil {
				return x.Median, true
			}
			return 0, false
		}
	}
	p50 := func(e *record.Experiment) (float64, bool) {
		if e.Latency == nil {
			return 0, false
		}
		return e.Latency.P50, true
	}
	p99 := func(e *record.Experiment) (float64, bool) {
		if e.Latency == nil {
			return 0, false
		}
		return e.Latency.P99, e.Latency.P99 > 0
	}
	add := func(kind string, shows func(*record.Experiment) bool,
		line func(all []*record.Experiment) (figure, text string)) {
		for _, g := range result.Tables(b.run, ": ", shows) {
			figure, text := line(g.All)
			out = append(out, other{kind, format.Clean(g.All[0].Path()), figure, text, g.All})
		}
	}
	inTable := map[*record.Experiment]bool{}
	for _, w := range b.links {
		inTable[w.Ping] = true
	}
	add("latency", func(e *record.Experiment) bool {
		return method.Named(e.Method).RoundTrips && e.Latency != nil && !inTable[e]
	}, func(all []*record.Experiment) (string, string) {
		text := "RTT p50"
		if high := between(all, p99, format.Seconds); high != "" { // few round trips have none
			text += ", " + high + " p99"
		}
		if all[0].Load != nil {
			text += ", under load"
		}
		if len(all) > 1 {
			text = "RTT p50, " + settings(all)
		}
		return between(all, p50, format.Seconds), text
	})
	add("rdma", func(e *record.Experiment) bool {
		return method.Named(e.Method).UsesRDMA && (e.Latency != nil || e.Goodput != nil)
	}, func(all []*record.Experiment) (string, string) {
		figure, text := between(all, p50, format.Seconds), cmp.Or(all[0].Settings["op"], "write")+", p50"
		if figure == "" {
			figure = between(all, seconds(func(e *record.Experiment) *record.Estimate { return e.Goodput }), format.Rate)
			text = cmp.Or(all[0].Settings["op"], "write")
		}
		if len(all) > 1 {
			text += ", " + settings(all)
		} else if size := all[0].Settings["size"]; size != "" {
			text += ", " + result.Value(size)
		}
		return figure, text
	})
	add("halo", func(e *record.Experiment) bool { return method.Named(e.Method).Exchanges && e.Seconds != nil },
		func(all []*record.Experiment) (string, string) {
			return between(all, seconds(func(e *record.Experiment) *record.Estimate { return e.Seconds }), format.Seconds),
				"an exchange" + unit.If(len(all) > 1, ", "+settings(all), "")
		})
	add("command", func(e *record.Experiment) bool { return e.Figure != nil && e.App != nil },
		func(all []*record.Experiment) (string, string) {
			figure := between(all, seconds(func(e *record.Experiment) *record.Estimate { return e.Figure }),
				func(v float64) string { return tables.FigureText(v, all[0].FigureUnit) })
			return figure, format.Clean(all[0].Name) + unit.If(len(all) > 1, ", "+settings(all), "")
		})
	for _, e := range b.run.Experiments {
		if e.Acceptance != nil {
			word := format.NotKnown
			if p := e.Acceptance.Passed; p != nil {
				word = unit.If(*p, "passed", "failed")
			}
			out = append(out, other{"link test", format.Clean(e.Path()), word, "certificate: --all",
				[]*record.Experiment{e}})
		}
		if e.Proof != nil {
			state := format.Clean(string(e.Proof.State))
			out = append(out, other{"lossless", format.Clean(e.Path()), state, "tests: --all",
				[]*record.Experiment{e}})
		}
	}
	return out
}

// costs are the fits of CPU time.
func (b *brief) costs() (out []other) {
	for _, c := range b.run.Costs {
		var parts []string
		if c.PerPacket != nil {
			parts = append(parts, unit.Seconds(c.PerPacket.Median)+" a packet")
		}
		if c.PerByte != nil {
			parts = append(parts, unit.Seconds(c.PerByte.Median)+" a byte")
		}
		if len(parts) > 0 {
			out = append(out, other{"CPU cost", format.Clean(c.Host + ", " + c.End), strings.Join(parts, ", "), "", nil})
		}
	}
	return out
}

// mostCompared is the number of comparisons in the report.
const mostCompared = 2

// compared are the strongest comparisons that the repeats support.
func (b *brief) compared() (out []string) {
	for _, f := range b.found.All() {
		if f.Kind != "line-rate" && f.Kind != "paths" && len(out) < mostCompared {
			out = append(out, f.InText())
		}
	}
	return out
}

// findings counts what was wrong on the hosts before the run, with the most severe.
func (b *brief) findings() section {
	l := b.text()
	var worst *record.Finding
	n := 0
	for i := range b.run.Findings {
		f := &b.run.Findings[i]
		if f.Severity == record.Info || report.FixedByVerdict(b.run, *f) {
			continue
		}
		n++
		if worst == nil || f.Severity == record.Error && worst.Severity != record.Error {
			worst = f
		}
	}
	if worst == nil {
		return section{}
	}
	item(l, label, "checks", fmt.Sprintf("%s on the hosts; the most severe (%s):", unit.Counted(n, "problem"), worst.ID))
	item(l, label, "", worst.Short())
	if steps := record.StepsOf(worst.Fix); len(steps) > 0 && steps[0].Command {
		steps[0].Host = worst.Subject.Host
		command(l, label+2, len("fix"), "fix", steps[0].String())
	}
	return of(l, len(l.Rows()))
}
