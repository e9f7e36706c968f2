package results

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/explain/whatif"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/brief"
)

// WhatIfFlags are the hypothetical changes.
type WhatIfFlags struct {
	mtu, streams               int
	slots                      []string
	rate, rtt, interval, drive string
	only                       string
	asJSON, all                bool
	Given                      map[string]bool
}

// Define adds the flags.
func (f *WhatIfFlags) Define(flags *pflag.FlagSet) {
	flags.IntVar(&f.mtu, "mtu", 0, "another IP MTU in bytes, at both ends and on every switch between")
	flags.StringSliceVar(&f.slots, "slot", nil,
		"another slot for every NIC of the path, such as pcie3x8; of one NIC: HOST.NIC=pcie3x8")
	flags.IntVar(&f.streams, "streams", 0, "another number of connections")
	flags.StringVar(&f.rate, "link", "", "another rate of every link and port of the path, such as 100G")
	flags.StringVar(&f.rtt, "rtt", "", "another round trip time, such as 10ms")
	flags.StringVar(&f.interval, "window", "", "bytes that each connection may have in flight, such as 4MiB")
	flags.StringVar(&f.drive, "drive", "", "what the drive delivers that the data are read from, such as 3GB/s")
	flags.StringVar(&f.only, "experiment", "", "of one experiment")
	flags.BoolVar(&f.all, "all", false, "print everything: the ceilings of each experiment, with their formulas")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
}

// WhatIf prints what other hardware or settings would change.
func WhatIf(e *cli.Env, args []string, f *WhatIfFlags) error {
	wrong := &e.Errors
	change := f.change(wrong)
	if change.None() && len(wrong.List) == 0 {
		wrong.Add(&cli.Advice{ID: diag.ArgumentMissing, Text: "missing a change",
			Help: []string{"add --mtu 9000, --slot pcie3x8, --streams 8, --link 100G, --rtt 10ms, --window 4MiB or --drive " +
				"3GB/s"}})
	}
	var o *runfolder.Opened
	if len(args) == 1 { // else it is among the errors already
		var err error
		if o, err = Open(e, args[0]); err != nil {
			if !errors.Is(err, runfolder.ErrInput) {
				return err
			}
			wrong.Add(err)
		}
	}
	var plans []*plan.Plan
	if o != nil {
		var err error
		if plans, err = plansOf(o); err != nil {
			return err
		}
		f.against(o.Run, plans, change, wrong)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	if PrintEvidence(e, o); !o.Page {
		explain.Variants(plans, o.Run, o.Read)
	}
	w := whatif.Answer(plans, o.Run, o.Read, change, f.only)
	if f.asJSON {
		return e.PrintObject("whatif", w)
	}
	if f.all {
		return report.PrintWhatIf(e.Terminal(), o.Run, w)
	}
	return brief.PrintWhatIf(e.Terminal(), o.Run, w)
}

// change parses the flags.
func (f *WhatIfFlags) change(wrong *cli.Errors) record.Change {
	c := record.Change{MTU: f.mtu, Streams: f.streams}
	if f.Given["mtu"] && (f.mtu < 576 || f.mtu > 65520) && !wrong.About("mtu") {
		wrong.Add(cli.Advise(fmt.Errorf("--mtu %d: an IP MTU is from 576 to 65520 bytes", f.mtu),
			"write 1500 or 9000"))
	}
	if f.Given["streams"] && (f.streams < 1 || f.streams > 1024) && !wrong.About("streams") {
		wrong.Add(fmt.Errorf("--streams %d: linerate measures with 1 to 1024 connections", f.streams))
	}
	for _, text := range f.slots {
		adapter, bus, named := strings.Cut(text, "=")
		if !named {
			adapter, bus = "", text
		}
		b, err := catalog.ParseBus(bus)
		switch {
		case err != nil:
			wrong.Add(fmt.Errorf("--slot: %w", err))
			continue
		case b.Type != "pcie" || b.Gen == 0 || b.Lanes == 0:
			wrong.Add(cli.Advise(fmt.Errorf("--slot %s: a NIC's slot has a generation and lanes of PCI Express", text),
				"write pcie3x8"))
			continue
		case slices.ContainsFunc(c.Slots, func(s record.SlotChange) bool { return s.NIC == adapter }):
			wrong.Add(cli.Advise(fmt.Errorf("--slot %s: this NIC has another slot already", text),
				"give each one"))
			continue
		}
		c.Slots = append(c.Slots, record.SlotChange{NIC: adapter, Bus: b.String()})
	}
	for _, x := range []struct {
		flag, text string
		to         *unit.BitRate
	}{{"link", f.rate, &c.Rate}, {"drive", f.drive, &c.Drive}} {
		if x.text == "" && !f.Given[x.flag] {
			continue
		}
		v, err := unit.ParseBitRate(x.text)
		if err == nil && v <= 0 {
			err = cli.Advise(fmt.Errorf("%s: nothing would be carried", x.text),
				"write a rate above 0")
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--%s: %w", x.flag, err))
		}
		*x.to = v
	}
	if f.Given["rtt"] {
		d, err := unit.ParseDuration(f.rtt)
		if err == nil && d <= 0 {
			err = cli.Advise(fmt.Errorf("%s: a round trip takes time", f.rtt), "write it as 10ms")
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--rtt: %w", err))
		}
		c.RTT = d.Seconds()
	}
	if f.Given["window"] {
		b, err := unit.ParseBytes(f.interval)
		if err == nil && b <= 0 {
			err = cli.Advise(fmt.Errorf("%s: with nothing in flight nothing is carried", f.interval),
				"write a size such as 4MiB")
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--window: %w", err))
		}
		c.Interval = b
	}
	return c
}

// against reports what the run cannot answer.
func (f *WhatIfFlags) against(r *record.Run, plans []*plan.Plan, c record.Change, wrong *cli.Errors) {
	var names []string
	carried := false
	for _, e := range r.Experiments {
		names = xslices.AppendNew(names, e.Name)
		carried = carried || e.Goodput != nil && method.Named(e.Method).Bulk && (f.only == "" || e.Name == f.only)
	}
	of := "this run"
	switch {
	case f.only != "" && !slices.Contains(names, f.only):
		wrong.Add(
			cli.UnknownName("--experiment", "experiment", f.only, names))
		return
	case f.only != "":
		of = f.only + " of this run"
	}
	if !carried {
		wrong.Add(cli.Advise(fmt.Errorf("%s measured no throughput, so that nothing can be reckoned on", of),
			"measure a stream first"))
		return
	}
	if c.Drive > 0 && !whatif.ReadsDrive(r, f.only) {
		wrong.Add(cli.Advise(
			fmt.Errorf("--drive %s: nothing in %s reads a drive: its data are made in memory", f.drive, of),
			"ask of a run with a source (measure stream --source FILE)"))
	}
	if len(c.Slots) > 0 && r.FabricText == "" {
		wrong.Add(cli.Advise(errors.New("--slot: this run was measured by flags, and no NIC of it is known"),
			"ask of a run of a fabric file, which names them"))
		return
	}
	for _, s := range c.Slots {
		var adapters []string
		for _, p := range plans {
			for _, h := range p.Hosts {
				for _, port := range h.Ports {
					if id := h.Name + "." + port.NIC; port.Part != nil && !slices.Contains(adapters, id) {
						adapters = append(adapters, id)
					}
				}
			}
		}
		if s.NIC != "" && !slices.Contains(adapters, s.NIC) {
			wrong.Add(cli.Advise(fmt.Errorf("--slot %s=%s: the run's fabric has no NIC %s", s.NIC, s.Bus, s.NIC)).
				Note(fmt.Sprintf("it has %s", strings.Join(adapters, ", "))))
		}
	}
	if c.Interval > 0 || c.RTT > 0 {
		tcp := slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
			return method.Named(e.Method).Bulk && e.Goodput != nil && e.Settings["transport"] != "udp" &&
				(f.only == "" || e.Name == f.only)
		})
		if !tcp {
			wrong.Add(
				fmt.Errorf("--window and --rtt: %s is over UDP, which has neither windows nor round trips to wait for", of))
		}
	}
}
