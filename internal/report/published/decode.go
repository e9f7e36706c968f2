package published

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

var reads = diag.Reads{Files: "baselines", Most: 1 << 20, TooMuch: "divide it into several", Depth: 12,
	Needs: "a baseline needs five"}

// The keys of each mapping of a baseline, in the order in which messages name them.
var (
	topKeys    = []string{"baseline", "title", "author", "date", "url", "note", "example", "systems", "rows", "tables"}
	systemKeys = []string{"name", "system", "processor", "nic", "slot"}
	rowKeys    = []string{"id", "what", "section", "text", "metric", "value", "is", "prefer", "over", "mtu", "rate",
		"with", "of", "not"}
	tableKeys  = []string{"section", "metric", "unit", "rate", "columns", "rows"}
	columnKeys = []string{"id", "what", "is", "with", "of"}
	lineKeys   = []string{"id", "what", "is", "text", "values"}
	metrics    = []string{"goodput", "goodput.stream", "bytes_per_second", "iops", "iops/cpu", "cpu", "seconds",
		"latency.p50", "figure", "cost"}
	isKeys = []string{"method", "transport", "streams", "way", "size", "load", "read", "access", "traffic", "op", "metric",
		"processes", "tiles", "amount", "app", "via", "variant", "depth", "threads", "profile", "spares"}
)

// decoder reads one file. It reports all errors together.
type decoder struct {
	text     *diag.Text
	problems diag.Problems
}

// Parse reads a baseline. name is the name of the file in problems.
func Parse(name string, text []byte) (*Baseline, diag.Problems) {
	d := &decoder{text: diag.New(name, text)}
	if p := d.text.Check(reads); p != nil {
		return nil, diag.Problems{p}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		at, p, _ := d.text.Syntax(err, slices.Clone(d.text.Lines), reads)
		return nil, diag.Problems{d.text.Place(at, p)}
	}
	if len(root.Content) == 0 {
		return nil, diag.Problems{
			d.text.Place(diag.At{Line: 1, Col: 1},
				diag.Problem{Subject: "the file", Message: "it is empty", Fix: "write baseline: NAME, title, and rows"}),
		}
	}
	b := d.baseline(root.Content[0])
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	return b, nil
}

func (d *decoder) bad(n *yaml.Node, subject, message, fix string) {
	d.problems = append(d.problems,
		d.text.Place(diag.At{Line: n.Line, Col: n.Column}, diag.Problem{Subject: subject, Message: message, Fix: fix}))
}

// keys returns the values of a mapping, which may only have the known keys, each once.
func (d *decoder) keys(n *yaml.Node, subject string, known []string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		d.bad(n, subject, "it is not a mapping", "write its keys: "+strings.Join(known, ", "))
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !slices.Contains(known, key.Value):
			fix := "it has " + strings.Join(known, ", ")
			if near := diag.Nearest(key.Value, known); near != "" {
				fix = "write " + near
			}
			d.bad(key, subject, diag.Quote(key.Value)+" is not a key here", fix)
		case out[key.Value] != nil:
			d.bad(key, subject, diag.Quote(key.Value)+" is there twice", "take one of the two out")
		default:
			out[key.Value] = n.Content[i+1]
		}
	}
	return out
}

// word returns the text of a scalar; empty if it is absent.
func (d *decoder) word(n *yaml.Node, subject string) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.bad(n, subject, "it is not a text", "write one value")
		return ""
	}
	return n.Value
}

// must returns the text of a required key.
func (d *decoder) must(at *yaml.Node, k map[string]*yaml.Node, key, subject string) string {
	if k[key] == nil {
		d.bad(at, subject, "it has no "+key, "write "+key+": ..")
		return ""
	}
	return d.word(k[key], subject+", "+key)
}

func (d *decoder) list(n *yaml.Node, subject string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		d.bad(n, subject, "it is not a list", "write its items behind dashes")
		return nil
	}
	return n.Content
}

func (d *decoder) words(n *yaml.Node, subject string, known []string) map[string]string {
	if n == nil {
		return nil
	}
	out := map[string]string{}
	for key, v := range d.keys(n, subject, known) {
		out[key] = d.word(v, subject+", "+key)
	}
	return out
}

func (d *decoder) baseline(n *yaml.Node) *Baseline {
	k := d.keys(n, "the baseline", topKeys)
	b := &Baseline{Name: d.must(n, k, "baseline", "the baseline"), Title: d.must(n, k, "title", "the baseline"),
		Author: d.word(k["author"], "author"), Date: d.word(k["date"], "date"), URL: d.word(k["url"], "url"),
		Note: d.word(k["note"], "note"), Example: d.must(n, k, "example", "the baseline")}
	for _, s := range d.list(k["systems"], "systems") {
		w := d.words(s, "a system", systemKeys)
		b.Systems = append(b.Systems, System{w["name"], w["system"], w["processor"], w["nic"], w["slot"]})
	}
	at := map[string]*yaml.Node{}
	for _, r := range d.list(k["rows"], "rows") {
		b.Rows = append(b.Rows, d.row(r))
		at[fmt.Sprint(len(b.Rows)-1)] = r
	}
	for _, t := range d.list(k["tables"], "tables") {
		for _, row := range d.table(t) {
			b.Rows = append(b.Rows, row)
			at[fmt.Sprint(len(b.Rows)-1)] = t
		}
	}
	seen := map[string]bool{}
	for i, r := range b.Rows {
		if r.ID != "" && seen[r.ID] {
			d.bad(at[fmt.Sprint(i)], "row "+diag.Quote(r.ID), "another row has this id", "give each an id of its own")
		}
		seen[r.ID] = true
		b.Variants = b.Variants || r.Over != nil
	}
	if len(b.Rows) == 0 && len(d.problems) == 0 {
		d.bad(n, "the baseline", "it has no figures", "write rows: or tables:")
	}
	return b
}

func (d *decoder) row(n *yaml.Node) Row {
	k := d.keys(n, "a row", rowKeys)
	r := Row{ID: d.must(n, k, "id", "a row"), Line: n.Line}
	subject := "row " + diag.Quote(r.ID)
	r.What, r.Text, r.Section = d.must(n, k, "what", subject), d.must(n, k, "text", subject),
		d.must(n, k, "section", subject)
	r.Metric, r.With, r.Of, r.Not = d.word(k["metric"], subject), d.word(k["with"], subject), d.word(k["of"], subject),
		d.word(k["not"], subject)
	d.value(&r, n, k["value"], d.must(n, k, "value", subject), subject)
	r.Prefer = d.words(k["prefer"], subject+", prefer", isKeys)
	r.Is, r.Over = d.words(k["is"], subject+", is", isKeys), d.words(k["over"], subject+", over", isKeys)
	d.conditions(&r, k, subject)
	d.checkRow(&r, n, k, subject)
	return r
}

func (d *decoder) value(r *Row, n, at *yaml.Node, text, subject string) {
	if text == "" {
		return
	}
	v, err := parseValue(text)
	if err != nil {
		at = cmp.Or(at, n)
		d.bad(at, subject+", value", err.Error(), "")
	}
	r.Value = v
}

func (d *decoder) conditions(r *Row, k map[string]*yaml.Node, subject string) {
	if n := k["mtu"]; n != nil {
		mtu, err := strconv.Atoi(d.word(n, subject))
		if err != nil || mtu < 68 || mtu > 65535 {
			d.bad(n, subject+", mtu", diag.Quote(n.Value)+" is not an MTU", "write 1500 or 9000")
		}
		r.MTU = mtu
	}
	if n := k["rate"]; n != nil {
		rate, err := unit.ParseBitRate(d.word(n, subject))
		if err != nil {
			d.bad(n, subject+", rate", err.Error(), "")
		}
		r.Rate = float64(rate)
	}
}

// checkRow compares a row's keys with each other.
func (d *decoder) checkRow(r *Row, n *yaml.Node, k map[string]*yaml.Node, subject string) {
	switch {
	case r.Not != "":
		if k["is"] != nil || k["of"] != nil || k["over"] != nil {
			d.bad(n, subject, "it says why nothing is like it (not), and what is (is, of, over)", "leave one of the two out")
		}
		return
	case r.Is == nil:
		d.bad(n, subject, "it says neither what an experiment must be to be like it (is), nor why none is (not)",
			"write one of the two")
		return
	case r.Of == "":
		d.bad(n, subject, "it does not say which experiment of the example measures it (of)", "write of: NAME")
	}
	if !slices.Contains(metrics, r.Metric) {
		d.bad(n, subject+", metric", diag.Quote(r.Metric)+" is not a metric", "write one of "+strings.Join(metrics, ", "))
		return
	}
	if r.Over != nil && r.Value.Unit != "x" && r.Value.Unit != "" {
		d.bad(n, subject, "it is over another experiment, and its value is not a ratio",
			"write 113 % more, 10 times or 6 times less")
	}
	want := map[string][]string{"goodput": {"bit/s", "B/s"}, "goodput.stream": {"bit/s"},
		"bytes_per_second": {"B/s", "bit/s"}, "iops": {"1/s"}, "cpu": {"share"}, "seconds": {"s"}, "latency.p50": {"s"},
		"figure": {"s"}, "cost": {"USD", "CNY"}}[r.Metric]
	if r.Over == nil && r.Value.Unit != "" && !slices.Contains(want, r.Value.Unit) {
		d.bad(n, subject, fmt.Sprintf("%s is not a %s", diag.Quote(r.Value.Written), r.Metric), "give the figure's "+
			"own metric")
	}
	// One unit a metric.
	switch {
	case r.Over != nil:
	case r.Metric == "goodput" && r.Value.Unit == "B/s":
		r.Value.Low, r.Value.High, r.Value.Unit = r.Value.Low*8, r.Value.High*8, "bit/s"
	case r.Metric == "bytes_per_second" && r.Value.Unit == "bit/s":
		r.Value.Low, r.Value.High, r.Value.Unit = r.Value.Low/8, r.Value.High/8, "B/s"
	}
}

// table returns the rows of a table: one for each figure in it.
func (d *decoder) table(n *yaml.Node) []Row {
	k := d.keys(n, "a table", tableKeys)
	section, metric, u := d.must(n, k, "section", "a table"), d.must(n, k, "metric", "a table"),
		d.must(n, k, "unit", "a table")
	type column struct {
		id, what, with, of string
		is                 map[string]string
	}
	var columns []column
	for _, c := range d.list(k["columns"], "columns") {
		w := d.keys(c, "a column", columnKeys)
		columns = append(columns,
			column{d.must(c, w, "id", "a column"), d.word(w["what"], "a column"), d.word(w["with"], "a column"),
				d.must(c, w, "of", "a column"), d.words(w["is"], "a column, is", isKeys)})
	}
	var out []Row
	for _, line := range d.list(k["rows"], "rows of a table") {
		w := d.keys(line, "a line of a table", lineKeys)
		id, text := d.must(line, w, "id", "a line of a table"), d.must(line, w, "text", "a line of a table")
		values := d.list(w["values"], "values")
		subject := "line " + diag.Quote(id)
		if len(values) != len(columns) {
			d.bad(line, subject, fmt.Sprintf("it has %d values, the table %d columns", len(values), len(columns)),
				"write a value for each")
			continue
		}
		what := d.must(line, w, "what", subject)
		is := d.words(w["is"], subject+", is", isKeys)
		for i, c := range columns {
			r := Row{ID: c.id + "/" + id, What: what + ", " + c.what, Section: section, Text: text, Metric: metric,
				Is: map[string]string{}, With: c.with, Of: c.of, Line: values[i].Line}
			maps.Copy(r.Is, c.is)
			maps.Copy(r.Is, is)
			d.value(&r, values[i], values[i], d.word(values[i], subject)+" "+u, subject+", "+c.id)
			d.conditions(&r, map[string]*yaml.Node{"rate": k["rate"]}, subject)
			d.checkRow(&r, values[i], map[string]*yaml.Node{}, subject+", "+c.id)
			out = append(out, r)
		}
	}
	return out
}
