//go:build linux

// Command accuracy compares what linerate reports with independent figures, on one machine: goodput on links that a
// token bucket limits with the computed goodput, CPU time with what the kernel counts for both ends, and lost datagrams
// with the number that a firewall has dropped.
//
//	go build -C tools/bench -o /tmp/bench-accuracy ./accuracy
//	sudo /tmp/bench-accuracy -rows /tmp/accuracy.jsonl -o tools/bench/accuracy/latest.md
//
// It needs root, iproute2 and nft. Each case is a row of the file -rows. A case that has a row already is only measured
// again if it missed its promise while other processes took more than half a core. So the cases can be measured in
// parts (-only, -for).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"linerate/tools/bench/harness"
	"linerate/tools/bench/wire"
)

func main() { wire.Main("accuracy", bench) }

func bench(ctx context.Context) error {
	rowsFile := flag.String("rows", "", "file of rows that were measured; it is continued")
	out := flag.String("o", "", "file for the tables, beside standard output")
	only := flag.String("only", "", "a regular expression: cases to measure")
	interval := flag.Duration("window", 10*time.Second, "steady window of each case")
	limit := flag.Duration("for", time.Hour, "after this time no further case is begun")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	var all rows
	all, err = harness.ReadRows[row](*rowsFile)
	if err != nil {
		return err
	}
	began := time.Now()
	var nets networks
	defer nets.close()
	for _, c := range cases() {
		if all.has(c.Name) || !which.MatchString(c.Name) || time.Since(began) > *limit {
			continue
		}
		r, err := c.measure(ctx, &nets, *interval)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r = row{Failed: err.Error()}
		}
		r.Kind, r.Name, r.Seconds, r.At = c.Kind, c.Name, interval.Seconds(), time.Now().UTC()
		fmt.Fprintf(os.Stderr, "%s: %s\n", r.Name, r.brief())
		all = append(all, r)
		if err := harness.AddRow(*rowsFile, r); err != nil {
			return err
		}
	}
	return harness.Publish(all.page(), *out)
}

// row is one case that was measured. Rates are in bits per second, shares are parts of one. The tags are the keys of
// the files that exist.
type row struct {
	Kind, Name string
	At         time.Time
	Seconds    float64
	Failed     string `json:",omitempty"`

	Rate     float64 `json:",omitempty"` // of the shaper
	Computed float64 `json:"Want,omitempty"`
	Reported float64 `json:"Got,omitempty"`
	Formula  string  `json:",omitempty"`
	// Link is what the link carried by its own counter / its rate - 1, with an uncertainty of Doubt.
	Link, Doubt    float64  `json:",omitempty"`
	Acks           float64  `json:",omitempty"` // share of the link that acknowledgements of the other direction took
	Drops          int64    `json:",omitempty"`
	Retransmits    int64    `json:"Resent,omitempty"`
	OtherProcesses float64  `json:"Foreign"`
	Warnings       []string `json:",omitempty"`

	// CPU time of both ends in cores: as reported, as the kernel counts it, and of that the part of each end.
	ReportedCPU float64    `json:"Reported,omitempty"`
	KernelCPU   float64    `json:"Kernel,omitempty"`
	EndsCPU     [2]float64 `json:"Ends,omitempty"`

	Lost    int64 `json:",omitempty"`
	Dropped int64 `json:"Thrown,omitempty"`
	Sent    int64 `json:",omitempty"`
}

type rows []row

// disturbed is the work of other processes, in cores, from which on a case that missed its promise is measured again.
const disturbed = 0.5

// has reports whether a case has a row that is kept.
func (all rows) has(name string) bool {
	for _, r := range all {
		if r.Name == name && r.Failed == "" && (r.OtherProcesses < disturbed || !strings.HasPrefix(r.met(), "**")) {
			return true
		}
	}
	return false
}
