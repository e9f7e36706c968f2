package planning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/suggest"
	"linerate/internal/report/design"
)

// SuggestFlags are the flags of plan --suggest.
type SuggestFlags struct {
	On                             bool
	hosts, slots, design           int
	rate, distance, rdma, maxPrice string
	maxWatts                       float64
	systems                        []string
	all                            bool
	Out                            string // the value of -o
}

// SuggestOnly are the flags that only plan --suggest has.
var SuggestOnly = []string{"hosts", "rate", "reach", "rdma", "max-watts", "max-price", "os", "slots", "design", "all"}

// Define adds the flags.
func (f *SuggestFlags) Define(c *cobra.Command) {
	c.Flags().BoolVar(&f.On, "suggest", false, "without a file: designs out of the catalogue for a wish, compared")
	c.Flags().IntVar(&f.hosts, "hosts", 0, "wish: so many hosts, each reaches every other")
	c.Flags().StringVar(&f.rate, "rate", "", "wish: at least this rate between any two of them, 10G")
	c.Flags().StringVar(&f.distance, "reach", "", "wish: cables of at least this length, 8m")
	c.Flags().StringVar(&f.rdma, "rdma", "", "wish: an RDMA transport: rocev1, rocev2, iwarp or ib")
	c.Flags().Float64Var(&f.maxWatts, "max-watts", 0, "wish: NICs, switch and cables draw at most so much")
	c.Flags().StringVar(&f.maxPrice, "max-price", "", `wish: they cost at most so much, "8000 CNY"`)
	c.Flags().
		StringSliceVar(&f.systems, "os", nil, "wish: the hosts' systems in their order, a shorter list starts again: "+
			"linux, freebsd, windows, proxmox, macos, truenas-core, truenas-scale")
	c.Flags().IntVar(&f.slots, "slots", 4, "wish: so many NICs fit into one host")
	c.Flags().IntVar(&f.design, "design", 1, "which of the designs is shown whole, and written with -o")
	c.Flags().BoolVar(&f.all, "all", false, "every design, not the best ones alone")
}

// requirements parses the flags; errors go to those of the command line.
func (f *SuggestFlags) requirements(wrong *cli.Errors) suggest.Requirements {
	w := suggest.Requirements{Hosts: f.hosts, RDMA: strings.ToLower(f.rdma), Watts: f.maxWatts, Slots: f.slots}
	var unread []string // flags with an invalid value, which Check would report again
	read := func(flag string, err error) {
		if err != nil {
			wrong.Add(fmt.Errorf("--%s: %w", flag, err))
			unread = append(unread, "--"+flag)
		}
	}
	var err error
	if f.rate != "" {
		w.Rate, err = unit.ParseBitRate(f.rate)
		read("rate", err)
	}
	if f.distance != "" {
		w.Distance, err = unit.ParseMetres(f.distance)
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
		if !slices.Contains(unread, flag) && !wrong.About(strings.TrimPrefix(flag, "--")) {
			wrong.Add(err)
		}
	}
	if f.design < 1 {
		wrong.Add(fmt.Errorf("--design %d: designs are numbered from 1; write --design 1", f.design))
	}
	return w
}

// Suggest compares the designs for requirements, and writes the chosen one if a file is named.
func Suggest(e *cli.Env, f *SuggestFlags, asJSON bool) error {
	w := f.requirements(&e.Errors)
	if err := e.Errors.Err(); err != nil {
		return err
	}
	catalog, err := e.Catalog("")
	if err != nil {
		return err
	}
	a := suggest.For(w, catalog)
	if n := len(a.Designs); f.design > max(n, 1) {
		return cli.Fail(cli.ExitInput,
			fmt.Errorf("--design %d: there are %d that fulfil the wish; write --design %d", f.design, n, max(n, 1)))
	}
	if len(a.Designs) > 0 && f.Out != "" {
		if err := cli.WriteNew(f.Out, a.Designs[f.design-1].YAML); err != nil {
			return err
		}
		fmt.Fprintln(e.Err,
			cli.Clean(fmt.Sprintf("design %d is written to %s; go on with: linerate plan %s", f.design, f.Out, f.Out)))
	}
	if asJSON {
		err = design.SuggestJSON(e.Out, a)
	} else {
		t := e.Terminal()
		if err = design.PrintSuggestions(t, a, f.all); err == nil && len(a.Designs) > 0 {
			err = design.PrintSuggested(t, a.Designs[f.design-1], f.design)
		}
	}
	if err == nil && len(a.Designs) == 0 {
		return cli.Fail(cli.ExitMissed, nil)
	}
	return err
}

// FileCount is the number of fabric files: requirements describe something that has none yet.
func FileCount(requirements *SuggestFlags) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if requirements.On {
			return nil
		}
		if len(args) == 0 {
			return cli.ExactArgs(1)(c, args)
		}
		return cli.MaximumNArgs(2)(c, args)
	}
}
