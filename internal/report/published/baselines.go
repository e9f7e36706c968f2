// Package published holds published numbers that a run can be compared with: one file for each document, each figure
// with the document's wording, what was measured, and the conditions.
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

// Prefix precedes a baseline's name on a command line: baseline:nas-40g.
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

// System is a machine of the figures.
type System struct{ Name, System, CPU, NIC, Slot string }

// Row is a figure of the document.
type Row struct {
	ID, What string
	Section  string // where in the document
	Text     string // the document's own words, verbatim
	Metric   string // goodput, goodput.stream, bytes_per_second, iops, iops/cpu, cpu, seconds, latency.p50, figure, cost
	Value    Value
	Is       map[string]string // what an experiment must have to measure the same thing
	Prefer   map[string]string // preferred values among several experiments
	Over     map[string]string // of a ratio: what differs in the denominator's experiment
	MTU      int               // 0: the document does not say
	Rate     float64           // of the link, bits per second; 0: it does not say
	With     string            // other conditions of this figure
	Of       string            // the experiment of the example that measures it
	Not      string            // why linerate cannot measure the same thing; then Is and Of are empty
	Line     int               // in the file
}

// Value is a figure as the document has it, in base units (bits or bytes per second, seconds, shares, plain numbers).
type Value struct {
	Low, High float64 // equal where it is one figure
	Bound     string  // about, over, under, up to; empty: as it is
	Unit      string  // bit/s, B/s, s, 1/s, share, x (a ratio), or a currency
	Written   string  // as the file has it
}

// Names returns the baselines of this version, in alphabetical order.
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

// Load reads a baseline of this version by its name. The error lists the existing ones.
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

// Source returns a readable name of the document.
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
