package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/lab/wire"
)

// labWireCommand is the link of the lab's faults, as a process in the namespace where its two interfaces are.
func (e *env) labWireCommand() *cobra.Command {
	var from string
	var both, eof bool
	var seed uint64
	texts := map[string]*string{}
	c := &cobra.Command{
		Use:    "lab-wire A B",
		Short:  "A link in user space between two interfaces: delay, losses, marks, reordering, rate",
		Hidden: true,
		Long: `Carries frames between two Ethernet interfaces of this network namespace, in both
directions, and does to the wire packets what the flags say: for kernels without
netem. Super-packets are cut, checksums filled in. It prints "ready" once it
carries frames, and its counts as one line of JSON when it ends: by SIGTERM, by
SIGINT, or with --until-eof with its standard input.

A value counts for both directions; two of them, as in --delay 5ms,1ms, are for
what comes in at A and for what comes in at B. With --from A only what comes in
at A is touched. Losses, marks, reordering, corruption and duplicates hit packets of
TCP and UDP with payload alone, unless --all. The rate is that of an Ethernet
link: a frame takes 24 bytes more than its length.`,
		Example: `  linerate lab-wire e0 e1 --delay 5ms --loss 0.1%
  linerate lab-wire e0 e1 --rate 100M --queue 64KiB --ce-above 30KiB --from e0
  linerate lab-wire e0 e1 --loss 0.5%,0.1% --loss-burst 8 --seed 7`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			link := wire.Link{A: args[0], B: args[1], Seed: seed}
			e.wireSettings(&link, texts, from, both, c.Flags().Changed("from"))
			if err := e.wrong.err(); err != nil {
				return err
			}
			link.Forwarding = func() { fmt.Fprintln(e.out, "ready") }
			ctx, cancel := context.WithCancel(c.Context())
			defer cancel()
			if eof {
				go func() {
					_, _ = io.Copy(io.Discard, bufio.NewReader(e.in))
					cancel()
				}()
			}
			totals, err := link.Run(ctx)
			if err != nil && totals == (wire.Totals{}) {
				return err
			}
			return errors.Join(err, json.NewEncoder(e.out).Encode(wireReport{Schema: "linerate/lab-wire/1", Seed: seed, Directions: []wireDirection{
				{link.A, link.B, totals.ToB}, {link.B, link.A, totals.ToA},
			}}))
		},
		Annotations: map[string]string{checksItself: "yes"},
	}
	for _, f := range wireFlags {
		texts[f.name] = c.Flags().String(f.name, "", f.help)
		if f.name == "all" {
			c.Flags().Lookup(f.name).NoOptDefVal = "true"
		}
	}
	c.Flags().BoolVar(&both, "both", false, "both directions, as is so without --from")
	c.Flags().StringVar(&from, "from", "", "touch only what comes in at this interface, A or B")
	c.Flags().Uint64Var(&seed, "seed", 1, "of what is drawn: the same seed hits the same packets")
	c.Flags().BoolVar(&eof, "until-eof", false, "end with the standard input, too")
	return c
}

// wireReport is what the link did.
type wireReport struct {
	Schema     string          `json:"schema"`
	Seed       uint64          `json:"seed"`
	Directions []wireDirection `json:"directions"`
}

type wireDirection struct {
	From string `json:"from"`
	To   string `json:"to"`
	wire.Counts
}

// wireFlags are the settings of a direction.
var wireFlags = []struct {
	name, help string
	set        func(*wire.Settings, string) error
}{
	{"delay", "of every frame, such as 5ms", func(s *wire.Settings, text string) (err error) {
		s.Delay, err = unit.ParseDuration(text)
		return err
	}},
	{"loss", "how many packets are lost, such as 0.1%", share(func(s *wire.Settings) *float64 { return &s.Loss })},
	{"loss-burst", "mean length of a burst of losses, in packets", func(s *wire.Settings, text string) (err error) {
		if s.LossBurst, err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("%q is not a number; write it as 8", text)
		}
		return nil
	}},
	{"loss-in", "how many packets are lost within a burst, 100% without it", share(func(s *wire.Settings) *float64 { return &s.LossIn })},
	{"ce", "how many ECT packets are marked CE", share(func(s *wire.Settings) *float64 { return &s.CE })},
	{"reorder", "how many packets are held back while others pass", share(func(s *wire.Settings) *float64 { return &s.Reorder })},
	{"reorder-by", "for how long, 1ms without it", func(s *wire.Settings, text string) (err error) {
		s.ReorderBy, err = unit.ParseDuration(text)
		return err
	}},
	{"corrupt", "how many packets have a bit of their payload changed", share(func(s *wire.Settings) *float64 { return &s.Corrupt })},
	{"duplicate", "how many packets come twice", share(func(s *wire.Settings) *float64 { return &s.Duplicate })},
	{"rate", "of the link, such as 100M", rated(func(s *wire.Settings) *unit.BitRate { return &s.Rate })},
	{"queue", "what may wait before the rate, such as 64KiB; what comes then is dropped", sized(func(s *wire.Settings) *unit.Bytes { return &s.Queue.Bytes })},
	{"queue-packets", "the same in packets; 1000 with a rate and without either", func(s *wire.Settings, text string) (err error) {
		if s.Queue.Packets, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%q is not a whole number; write it as 100", text)
		}
		return nil
	}},
	{"ce-above", "mark ECT packets that find more than this in the queue", sized(func(s *wire.Settings) *unit.Bytes { return &s.CEAbove })},
	{"police", "drop what is above this rate, without a queue", rated(func(s *wire.Settings) *unit.BitRate { return &s.Police })},
	{"police-burst", "what may pass above it at once; 10 ms of the rate, at least 128 KiB, without it", sized(func(s *wire.Settings) *unit.Bytes { return &s.PoliceBurst })},
	{"line", "rate at which the segments of one super-packet come in", rated(func(s *wire.Settings) *unit.BitRate { return &s.Line })},
	{"all", "touch every frame, not only packets with payload", func(s *wire.Settings, text string) (err error) {
		if s.All, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q is not true or false", text)
		}
		return nil
	}},
}

func share(of func(*wire.Settings) *float64) func(*wire.Settings, string) error {
	return func(s *wire.Settings, text string) (err error) {
		*of(s), err = unit.ParsePercent(text)
		return err
	}
}

func rated(of func(*wire.Settings) *unit.BitRate) func(*wire.Settings, string) error {
	return func(s *wire.Settings, text string) (err error) {
		*of(s), err = unit.ParseBitRate(text)
		return err
	}
}

func sized(of func(*wire.Settings) *unit.Bytes) func(*wire.Settings, string) error {
	return func(s *wire.Settings, text string) (err error) {
		*of(s), err = unit.ParseBytes(text)
		return err
	}
}

// wireSettings reads the flags into both directions, and notes all mistakes.
func (e *env) wireSettings(link *wire.Link, texts map[string]*string, from string, both, fromGiven bool) {
	wrong := &e.wrong
	ways := []*wire.Settings{&link.ToB, &link.ToA}
	if link.A == link.B {
		wrong.add(fmt.Errorf("%s %s: a link stands between two interfaces", link.A, link.B))
	}
	if fromGiven {
		if both {
			wrong.add(errors.New("--from contradicts --both; leave one out"))
		}
		switch from {
		case link.A:
			ways = ways[:1]
		case link.B:
			ways = ways[1:]
		default:
			wrong.add(fmt.Errorf("--from %s: it is none of the two interfaces; write %s or %s", from, link.A, link.B))
		}
	}
	readable := true
	for _, f := range wireFlags {
		text := *texts[f.name]
		if text == "" {
			continue
		}
		values := strings.Split(text, ",")
		if len(values) > 2 || len(values) == 2 && fromGiven {
			most := map[bool]string{true: "one value, for the direction of --from", false: "at most two values, from A and from B"}[fromGiven]
			wrong.add(fmt.Errorf("--%s %s: %s", f.name, text, most))
			readable = false
			continue
		}
		for i, s := range ways {
			if err := f.set(s, values[min(i, len(values)-1)]); err != nil {
				wrong.once(fmt.Errorf("--%s: %w", f.name, err))
				readable = false
			}
		}
	}
	if !readable { // what was not read would be missed by what needs it
		return
	}
	for _, s := range ways {
		for _, err := range s.Problems() {
			wrong.once(fmt.Errorf("--%w", err))
		}
	}
}
