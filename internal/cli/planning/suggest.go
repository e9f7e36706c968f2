package planning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/suggest"
	"linerate/internal/report/design"
)

// SuggestFlags are the flags of suggest.
type SuggestFlags struct {
	hosts, slots, design            int
	speed, distance, rdma, maxPrice string
	maxWatts                        float64
	systems                         []string
	all                             bool
	file                            string
}

// Define adds the flags.
func (f *SuggestFlags) Define(c *cobra.Command) {
	c.Flags().IntVar(&f.hosts, "hosts", 0, "number of hosts; each reaches every other")
	c.Flags().StringVar(&f.speed, "speed", "", "lowest link speed between any two hosts, such as 10G")
	c.Flags().StringVar(&f.distance, "distance", "", "shortest length of the cables, such as 8m")
	c.Flags().StringVar(&f.rdma, "rdma", "", "RDMA transport: rocev1, rocev2, iwarp or ib")
	c.Flags().Float64Var(&f.maxWatts, "max-watts", 0, "highest power of NICs, switch and cables together, in watts")
	c.Flags().StringVar(&f.maxPrice, "max-price", "", `highest price, such as "8000 CNY"`)
	c.Flags().StringSliceVar(&f.systems, "os", nil,
		"operating systems of the hosts, in their order; a shorter list repeats: "+
			"linux, freebsd, windows, proxmox, macos, truenas-core, truenas-scale")
	c.Flags().IntVar(&f.slots, "slots", 4, "number of NICs that fit into one host")
	c.Flags().IntVar(&f.design, "design", 1, "number of the design to print in full, and to write with -o")
	c.Flags().BoolVar(&f.all, "all", false, "print every design, not only the best ones")
	c.Flags().StringVarP(&f.file, "output", "o", "", "write the design as a new fabric file")
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
	if f.speed != "" {
		w.Rate, err = unit.ParseBitRate(f.speed)
		read("speed", err)
	}
	if f.distance != "" {
		w.Distance, err = unit.ParseMetres(f.distance)
		read("distance", err)
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
		flag := xslices.First(strings.Fields(err.Error()), func(w string) bool { return strings.HasPrefix(w, "--") })
		if !slices.Contains(unread, flag) && !wrong.About(strings.TrimPrefix(flag, "--")) {
			wrong.Add(err)
		}
	}
	if f.design < 1 {
		wrong.Add(cli.Advise(fmt.Errorf("--design %d: designs are numbered from 1", f.design),
			"write --design 1"))
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
			cli.Advise(fmt.Errorf("--design %d: %d designs meet the requirements", f.design, n),
				fmt.Sprintf("write --design %d", max(n, 1))))
	}
	if len(a.Designs) > 0 && f.file != "" {
		if err := cli.WriteNew(f.file, a.Designs[f.design-1].YAML); err != nil {
			return err
		}
		fmt.Fprintln(e.Err,
			cli.Clean(fmt.Sprintf("design %d is written to %s; go on with: linerate plan %s", f.design, f.file, f.file)))
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
