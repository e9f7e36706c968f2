//go:build linux

// Command accuracy holds what linerate reports against what is known otherwise, on one machine: goodput on links that a
// token bucket limits against the computed value, processor time against the kernel's own accounting of both ends, and
// lost datagrams against a firewall that throws them away and counts them.
//
//	go build -C tools/bench -o /tmp/bench-accuracy ./accuracy
//	sudo /tmp/bench-accuracy -rows /tmp/accuracy.jsonl -o tools/bench/accuracy/latest.md
//
// It needs root, iproute2 and nft. Each case is a row of the file -rows; those that stand there already are not measured
// again, unless they were missed while other work took more than half a core, so that a run can be taken in parts (-only, -for).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"linerate/tools/bench/wire"
)

func main() { wire.Main("accuracy", bench) }

func bench(ctx context.Context) error {
	rowsFile := flag.String("rows", "", "file of rows that were measured; it is continued")
	out := flag.String("o", "", "file for the tables, beside standard output")
	only := flag.String("only", "", "a regular expression: cases to measure")
	window := flag.Duration("window", 10*time.Second, "steady window of each case")
	most := flag.Duration("for", time.Hour, "after this time no further case is begun")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	rows, err := read(*rowsFile)
	if err != nil {
		return err
	}
	began := time.Now()
	var nets networks
	defer nets.close()
	for _, c := range cases() {
		if rows.has(c.Name) || !which.MatchString(c.Name) || time.Since(began) > *most {
			continue
		}
		r, err := c.measure(ctx, &nets, *window)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r = row{Failed: err.Error()}
		}
		r.Kind, r.Name, r.Seconds, r.At = c.Kind, c.Name, window.Seconds(), time.Now().UTC()
		fmt.Fprintf(os.Stderr, "%s: %s\n", r.Name, r.short())
		rows = append(rows, r)
		if err := add(*rowsFile, r); err != nil {
			return err
		}
	}
	text := rows.page()
	_, _ = os.Stdout.WriteString(text)
	if *out != "" {
		return os.WriteFile(*out, []byte(text), 0o644)
	}
	return nil
}

// row is one case that was measured. Rates are in bits per second, shares parts of one.
type row struct {
	Kind, Name string
	At         time.Time
	Seconds    float64
	Failed     string `json:",omitempty"`

	Rate, Want, Got float64 `json:",omitempty"` // of the shaper; computed and reported goodput
	Formula         string  `json:",omitempty"`
	Link, Doubt     float64 `json:",omitempty"` // what the link carried by its own counter / its rate - 1, known within Doubt
	Acks            float64 `json:",omitempty"` // share of the link that acknowledgements of the other direction took
	Drops, Resent   int64   `json:",omitempty"`
	Foreign         float64
	Warnings        []string `json:",omitempty"`

	Reported, Kernel float64    `json:",omitempty"` // processor time of both ends, in cores
	Ends             [2]float64 `json:",omitempty"` // the kernel's, of each end

	Lost, Thrown, Sent int64 `json:",omitempty"`
}

type rows []row

// disturbed is the other work, in cores of the machine, from which on a row that is missed is measured again.
const disturbed = 0.5

func (all rows) has(name string) bool {
	for _, r := range all {
		if r.Name == name && r.Failed == "" && (r.Foreign < disturbed || !strings.HasPrefix(r.met(), "**")) {
			return true
		}
	}
	return false
}

func read(name string) (rows, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all rows
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(all)+1, err)
		}
		all = append(all, r)
	}
	return all, nil
}

func add(name string, r row) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	b, err := json.Marshal(r)
	if err == nil {
		_, err = f.Write(append(b, '\n'))
	}
	return errors.Join(err, f.Close())
}
