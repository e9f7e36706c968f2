package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/design/suggest"
	"linerate/internal/report"
)

// suggestFlags are what `plan --suggest` takes.
type suggestFlags struct {
	on                          bool
	hosts, slots, design        int
	rate, reach, rdma, maxPrice string
	maxWatts                    float64
	systems                     []string
	all                         bool
	out                         string // the value of -o
}

// needSuggest are the flags that mean nothing without --suggest.
var needSuggest = []string{"hosts", "rate", "reach", "rdma", "max-watts", "max-price", "os", "slots", "design", "all"}

func (f *suggestFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "suggest", false, "without a file: designs out of the catalogue for a wish, compared")
	c.Flags().IntVar(&f.hosts, "hosts", 0, "wish: so many hosts, each reaches every other")
	c.Flags().StringVar(&f.rate, "rate", "", "wish: at least this rate between any two of them, 10G")
	c.Flags().StringVar(&f.reach, "reach", "", "wish: cables of at least this length, 8m")
	c.Flags().StringVar(&f.rdma, "rdma", "", "wish: an RDMA transport: rocev1, rocev2, iwarp or ib")
	c.Flags().Float64Var(&f.maxWatts, "max-watts", 0, "wish: cards, switch and cables draw at most so much")
	c.Flags().StringVar(&f.maxPrice, "max-price", "", `wish: they cost at most so much, "8000 CNY"`)
	c.Flags().StringSliceVar(&f.systems, "os", nil, "wish: the hosts' systems in their order, a shorter list starts again: linux, freebsd, windows, proxmox, macos, truenas-core, truenas-scale")
	c.Flags().IntVar(&f.slots, "slots", 4, "wish: so many cards fit into one host")
	c.Flags().IntVar(&f.design, "design", 1, "which of the designs is shown whole, and written with -o")
	c.Flags().BoolVar(&f.all, "all", false, "every design, not the best ones alone")
}

// wish reads the flags; what is wrong goes to the mistakes of the command line.
func (f *suggestFlags) wish(wrong *mistakes) suggest.Wish {
	w := suggest.Wish{Hosts: f.hosts, RDMA: strings.ToLower(f.rdma), Watts: f.maxWatts, Slots: f.slots}
	var unread []string // flags whose value could not be read, which Check would tell again
	read := func(flag string, err error) {
		if err != nil {
			wrong.add(fmt.Errorf("--%s: %w", flag, err))
			unread = append(unread, "--"+flag)
		}
	}
	var err error
	if f.rate != "" {
		w.Rate, err = unit.ParseBitRate(f.rate)
		read("rate", err)
	}
	if f.reach != "" {
		w.Reach, err = unit.ParseMetres(f.reach)
		read("reach", err)
	}
	if f.maxPrice != "" {
		w.Price, err = unit.ParseMoney(f.maxPrice)
		read("max-price", err)
	}
	for _, text := range f.systems {
		s, err := suggest.ParseSystem(text)
		read("os", err)
		w.Systems = append(w.Systems, s)
	}
	for _, err := range w.Check() {
		flag, _, _ := strings.Cut(strings.TrimSuffix(strings.Fields(err.Error())[0], ":"), " ")
		if !slices.Contains(unread, flag) && !wrong.about(strings.TrimPrefix(flag, "--")) {
			wrong.add(err)
		}
	}
	if f.design < 1 {
		wrong.add(fmt.Errorf("--design %d: designs are numbered from 1; write --design 1", f.design))
	}
	return w
}

// suggested compares the designs for a wish, and writes the chosen one if a file is named.
func (e *env) suggested(f *suggestFlags, asJSON bool) error {
	w := f.wish(&e.wrong)
	if err := e.wrong.err(); err != nil {
		return err
	}
	catalog, err := e.catalog("")
	if err != nil {
		return err
	}
	a := suggest.For(w, catalog)
	if n := len(a.Designs); f.design > max(n, 1) {
		return fail(exitInput, fmt.Errorf("--design %d: there are %d that fulfil the wish; write --design %d", f.design, n, max(n, 1)))
	}
	if len(a.Designs) > 0 && f.out != "" {
		if err := writeNew(f.out, a.Designs[f.design-1].YAML); err != nil {
			return err
		}
		fmt.Fprintln(e.err, clean(fmt.Sprintf("design %d is written to %s; go on with: linerate plan %s", f.design, f.out, f.out)))
	}
	if asJSON {
		err = report.SuggestJSON(e.out, a)
	} else {
		t := e.terminal()
		if err = t.Suggestions(a, f.all); err == nil && len(a.Designs) > 0 {
			err = t.Suggested(a.Designs[f.design-1], f.design)
		}
	}
	if err == nil && len(a.Designs) == 0 {
		return fail(exitMissed, nil)
	}
	return err
}

// writeNew writes a file that is not there yet.
func writeNew(name string, text []byte) error {
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fail(exitInput, fmt.Errorf("-o %s: the file is there already; name a new one", name))
	}
	if err != nil {
		return fail(exitInput, fmt.Errorf("-o: %w; check the path and the rights", err))
	}
	_, err = bytes.NewReader(text).WriteTo(out)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(name)
		return fmt.Errorf("-o %s: %w", name, err)
	}
	return nil
}
