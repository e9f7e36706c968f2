// Package published holds published numbers that a run can be held against: one
// file a document, each figure with the words in which the document gives it, what
// was measured, and under which conditions.
package published

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
)

//go:embed *.yaml
var files embed.FS

// Prefix is what a baseline's name stands behind on a command line: baseline:nas-40g.
const Prefix = "baseline:"

// Baseline is the published numbers of one document.
type Baseline struct {
	Name     string
	Title    string
	Author   string // empty: the document does not say
	Date     string // as the document has it; empty: it does not say
	URL      string // empty: the document does not say
	Note     string
	Example  string // the fabric file that builds the document's installation
	Systems  []System
	Rows     []Row
	Variants bool // some rows are ratios
}

// System is a machine that the figures are of.
type System struct{ Name, System, Processor, Card, Slot string }

// Row is a figure of the document.
type Row struct {
	ID, What string
	Section  string // where in the document
	Text     string // the document's own words, verbatim
	Metric   string // goodput, goodput.stream, bytes_per_second, iops, iops/cpu, cpu, seconds, latency.p50, figure, cost
	Value    Value
	Is       map[string]string // what must be so of an experiment to be the same thing
	Prefer   map[string]string // of several experiments that are the same thing, those with these come first
	Over     map[string]string // of a ratio: what differs in the experiment that it is over
	MTU      int               // 0: the document does not say
	Rate     float64           // of the link, bits per second; 0: it does not say
	With     string            // other conditions of this figure
	Of       string            // the experiment of the example that measures it
	Not      string            // why nothing of linerate's is the same thing; then Is and Of are empty
	Line     int               // in the file
}

// Value is a figure as the document has it, in base units (bits or bytes per second, seconds, shares, plain numbers).
type Value struct {
	Low, High float64 // equal where it is one figure
	Bound     string  // about, over, under, up to; empty: as it stands
	Unit      string  // bit/s, B/s, s, 1/s, share, x (a ratio), or a currency
	Written   string  // as the file has it
}

// Names are the baselines of this version, in alphabetical order.
func Names() []string {
	var out []string
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(out)
	return out
}

// Load reads a baseline of this version by its name. An error says which there are.
func Load(name string) (*Baseline, error) {
	b, err := files.ReadFile(name + ".yaml")
	if err != nil {
		text := fmt.Sprintf("there is no baseline %s", diag.Quote(name))
		if near := diag.Nearest(name, Names()); near != "" {
			text += "; write " + Prefix + near
		}
		return nil, errors.New(text + "; linerate compare --baselines lists them: " + strings.Join(Names(), ", "))
	}
	out, problems := Parse("baselines/"+name+".yaml", b)
	if len(problems) > 0 {
		return nil, problems
	}
	return out, nil
}

// Source names the document, for people.
func (b *Baseline) Source() string {
	s := b.Title
	if b.Author != "" {
		s = b.Author + ": " + s
	}
	if b.Date != "" {
		s += ", " + b.Date
	}
	if b.URL != "" {
		s += ", " + b.URL
	}
	return s
}
