package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// whatIfFlags are what is asked to be otherwise.
type whatIfFlags struct {
	mtu, streams             int
	slots                    []string
	rate, rtt, window, drive string
	only                     string
	asJSON                   bool
	given                    map[string]bool
}

func (e *env) whatIfCommand() *cobra.Command {
	var f whatIfFlags
	c := &cobra.Command{
		Use:   "whatif RUN",
		Short: "What a run's experiments would reach with another MTU, slot, number of streams, link, window or drive",
		Long: `Of every experiment of a finished run: what it would reach with the change, and the next ceilings, lowest first. Its path is planned
again with the change; what the run measured of processors and windows is reckoned on; what holds it back today either goes or stays.
Each ceiling has its formula, and says whether it is computed, measured or rests on something assumed. Nothing is measured or written.

` + runWords,
		Example: `  linerate whatif latest --mtu 9000
  linerate whatif latest --mtu 9000 --streams 8 --only threads
  linerate whatif latest --slot pcie3x8
  linerate whatif latest --slot nas.cx3=pcie2x4,desk.cx3=pcie3x8
  linerate whatif latest --rate 100G
  linerate whatif latest --window 4MiB --rtt 10ms
  linerate whatif latest --drive 3GB/s`,
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = map[string]bool{}
			for _, name := range changed(cmd.Flags()) {
				f.given[name] = true
			}
			return e.whatIf(args, &f)
		},
	}
	f.define(c.Flags())
	return c
}

func (f *whatIfFlags) define(flags *pflag.FlagSet) {
	flags.IntVar(&f.mtu, "mtu", 0, "another IP MTU in bytes, at both ends and on every switch between")
	flags.StringSliceVar(&f.slots, "slot", nil, "another slot for every card of the path, such as pcie3x8; of one card: HOST.CARD=pcie3x8")
	flags.IntVar(&f.streams, "streams", 0, "another number of connections")
	flags.StringVar(&f.rate, "rate", "", "another rate of every link and port of the path, such as 100G")
	flags.StringVar(&f.rtt, "rtt", "", "another round trip time, such as 10ms")
	flags.StringVar(&f.window, "window", "", "bytes that each connection may have in flight, such as 4MiB")
	flags.StringVar(&f.drive, "drive", "", "what the drive delivers that the data are read from, such as 3GB/s")
	flags.StringVar(&f.only, "only", "", "of one experiment")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
}

func (e *env) whatIf(args []string, f *whatIfFlags) error {
	wrong := &e.wrong
	change := f.change(wrong)
	if change.None() && len(wrong.list) == 0 {
		wrong.add(errors.New("say what would be otherwise: --mtu 9000, --slot pcie3x8, --streams 8, --rate 100G, --rtt 10ms, --window 4MiB or --drive 3GB/s"))
	}
	var o *runfolder.Opened
	if len(args) == 1 { // else it is among the mistakes already
		var err error
		if o, err = e.opened(args[0]); err != nil {
			if !errors.Is(err, runfolder.ErrInput) {
				return err
			}
			wrong.add(err)
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
	if err := wrong.err(); err != nil {
		return err
	}
	if e.evidence(o); !o.Page {
		explain.Variants(plans, o.Run, o.Read)
	}
	w := explain.WhatIf(plans, o.Run, o.Read, change, f.only)
	if f.asJSON {
		return e.object("whatif", w)
	}
	return e.terminal().WhatIf(o.Run, w)
}

// change reads the flags.
func (f *whatIfFlags) change(wrong *mistakes) record.Change {
	c := record.Change{MTU: f.mtu, Streams: f.streams}
	if f.given["mtu"] && (f.mtu < 576 || f.mtu > 65520) && !wrong.about("mtu") {
		wrong.add(fmt.Errorf("--mtu %d: an IP MTU is from 576 to 65520 bytes; write 1500 or 9000", f.mtu))
	}
	if f.given["streams"] && (f.streams < 1 || f.streams > 1024) && !wrong.about("streams") {
		wrong.add(fmt.Errorf("--streams %d: linerate measures with 1 to 1024 connections", f.streams))
	}
	for _, text := range f.slots {
		card, bus, named := strings.Cut(text, "=")
		if !named {
			card, bus = "", text
		}
		b, err := catalog.ParseBus(bus)
		switch {
		case err != nil:
			wrong.add(fmt.Errorf("--slot: %w", err))
			continue
		case b.Type != "pcie" || b.Gen == 0 || b.Lanes == 0:
			wrong.add(fmt.Errorf("--slot %s: a card's slot has a generation and lanes of PCI Express; write pcie3x8", text))
			continue
		case slices.ContainsFunc(c.Slots, func(s record.SlotChange) bool { return s.Card == card }):
			wrong.add(fmt.Errorf("--slot %s: this card has another slot already; give each one", text))
			continue
		}
		c.Slots = append(c.Slots, record.SlotChange{Card: card, Bus: b.String()})
	}
	for _, x := range []struct {
		flag, text string
		to         *unit.BitRate
	}{{"rate", f.rate, &c.Rate}, {"drive", f.drive, &c.Drive}} {
		if x.text == "" && !f.given[x.flag] {
			continue
		}
		v, err := unit.ParseBitRate(x.text)
		if err == nil && v <= 0 {
			err = fmt.Errorf("%s: nothing would be carried; write a rate above 0", x.text)
		}
		if err != nil {
			wrong.add(fmt.Errorf("--%s: %w", x.flag, err))
		}
		*x.to = v
	}
	if f.given["rtt"] {
		d, err := unit.ParseDuration(f.rtt)
		if err == nil && d <= 0 {
			err = fmt.Errorf("%s: a round trip takes time; write it as 10ms", f.rtt)
		}
		if err != nil {
			wrong.add(fmt.Errorf("--rtt: %w", err))
		}
		c.RTT = d.Seconds()
	}
	if f.given["window"] {
		b, err := unit.ParseBytes(f.window)
		if err == nil && b <= 0 {
			err = fmt.Errorf("%s: with nothing in flight nothing is carried; write a size such as 4MiB", f.window)
		}
		if err != nil {
			wrong.add(fmt.Errorf("--window: %w", err))
		}
		c.Window = b
	}
	return c
}

// against says what the run cannot answer.
func (f *whatIfFlags) against(r *record.Run, plans []*plan.Plan, c record.Change, wrong *mistakes) {
	var names []string
	carried := false
	for _, e := range r.Experiments {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
		carried = carried || e.Goodput != nil && e.Method == "stream" && (f.only == "" || e.Name == f.only)
	}
	of := "this run"
	switch {
	case f.only != "" && !slices.Contains(names, f.only):
		wrong.add(fmt.Errorf("--only %s: this run has no experiment of that name; it has %s", f.only, strings.Join(names, ", ")))
		return
	case f.only != "":
		of = f.only + " of this run"
	}
	if !carried {
		wrong.add(fmt.Errorf("%s measured no throughput, so that nothing can be reckoned on; measure a stream first", of))
		return
	}
	if c.Drive > 0 && !explain.ReadsDrive(r, f.only) {
		wrong.add(fmt.Errorf("--drive %s: nothing in %s reads a drive: its data are made in memory; ask of a run with a source (measure stream --source FILE)", f.drive, of))
	}
	if len(c.Slots) > 0 && r.FabricText == "" {
		wrong.add(errors.New("--slot: this run was measured by flags, and no card of it is known; ask of a run of a fabric file, which names them"))
		return
	}
	for _, s := range c.Slots {
		var cards []string
		for _, p := range plans {
			for _, h := range p.Hosts {
				for _, port := range h.Ports {
					if id := h.Name + "." + port.Card; port.Part != nil && !slices.Contains(cards, id) {
						cards = append(cards, id)
					}
				}
			}
		}
		if s.Card != "" && !slices.Contains(cards, s.Card) {
			wrong.add(fmt.Errorf("--slot %s=%s: the run's fabric has no card %s; it has %s", s.Card, s.Bus, s.Card, strings.Join(cards, ", ")))
		}
	}
	if c.Window > 0 || c.RTT > 0 {
		tcp := slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
			return e.Method == "stream" && e.Goodput != nil && e.Settings["transport"] != "udp" && (f.only == "" || e.Name == f.only)
		})
		if !tcp {
			wrong.add(fmt.Errorf("--window and --rtt: %s is over UDP, which has neither windows nor round trips to wait for", of))
		}
	}
}
