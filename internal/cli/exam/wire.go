package exam

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/lab/wire"
)

// wireReport is the JSON of lab-wire: what the link did.
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

// WireFlags are the settings of a direction.
var WireFlags = []struct {
	Name, Help string
	set        func(*wire.Settings, string) error
}{
	{"delay", "of every frame, such as 5ms", func(s *wire.Settings, text string) (err error) {
		s.Delay, err = unit.ParseDuration(text)
		return err
	}},
	{"loss", "how many packets are lost, such as 0.1%", share(func(s *wire.Settings) *float64 { return &s.Loss })},
	{"loss-burst", "mean length of a burst of losses, in packets", func(s *wire.Settings, text string) (err error) {
		if s.LossBurst, err = strconv.ParseFloat(text, 64); err != nil {
			return cli.Advise(fmt.Errorf("%q is not a number", text), "write it as 8")
		}
		return nil
	}},
	{"loss-in", "how many packets are lost within a burst, 100% without it",
		share(func(s *wire.Settings) *float64 { return &s.LossIn })},
	{"ce", "how many ECT packets are marked CE", share(func(s *wire.Settings) *float64 { return &s.CE })},
	{"reorder", "how many packets are held back while others pass",
		share(func(s *wire.Settings) *float64 { return &s.Reorder })},
	{"reorder-by", "for how long, 1ms without it", func(s *wire.Settings, text string) (err error) {
		s.ReorderBy, err = unit.ParseDuration(text)
		return err
	}},
	{"corrupt", "how many packets have a bit of their payload changed",
		share(func(s *wire.Settings) *float64 { return &s.Corrupt })},
	{"duplicate", "how many packets come twice", share(func(s *wire.Settings) *float64 { return &s.Duplicate })},
	{"rate", "of the link, such as 100M", rated(func(s *wire.Settings) *unit.BitRate { return &s.Rate })},
	{"queue", "what may wait before the rate, such as 64KiB; what comes then is dropped",
		sized(func(s *wire.Settings) *unit.Bytes { return &s.Queue.Bytes })},
	{
		"queue-packets",
		"the same in packets; 1000 with a rate and without either",
		func(s *wire.Settings, text string) (err error) {
			if s.Queue.Packets, err = strconv.Atoi(text); err != nil {
				return cli.Advise(fmt.Errorf("%q is not a whole number", text), "write it as 100")
			}
			return nil
		},
	},
	{"ce-above", "mark ECT packets that find more than this in the queue",
		sized(func(s *wire.Settings) *unit.Bytes { return &s.CEAbove })},
	{"police", "drop what is above this rate, without a queue",
		rated(func(s *wire.Settings) *unit.BitRate { return &s.Police })},
	{"police-burst", "what may pass above it at once; 10 ms of the rate, at least 128 KiB, without it",
		sized(func(s *wire.Settings) *unit.Bytes { return &s.PoliceBurst })},
	{"line", "rate at which the segments of one super-packet come in",
		rated(func(s *wire.Settings) *unit.BitRate { return &s.Line })},
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

// readWire reads the flags of both directions, and records all errors.
func readWire(e *cli.Env, link *wire.Link, texts map[string]*string, from string, both, fromGiven bool) {
	wrong := &e.Errors
	ways := []*wire.Settings{&link.ToB, &link.ToA}
	if link.A == link.B {
		wrong.Add(fmt.Errorf("%s %s: a link is between two interfaces", link.A, link.B))
	}
	if fromGiven {
		if both {
			wrong.Add(cli.Advise(errors.New("--from contradicts --both"),
				"omit one"))
		}
		switch from {
		case link.A:
			ways = ways[:1]
		case link.B:
			ways = ways[1:]
		default:
			wrong.Add(cli.Advise(fmt.Errorf("--from %s: it is none of the two interfaces", from),
				fmt.Sprintf("write %s or %s", link.A, link.B)))
		}
	}
	readable := true
	for _, f := range WireFlags {
		text := *texts[f.Name]
		if text == "" {
			continue
		}
		values := strings.Split(text, ",")
		if len(values) > 2 || len(values) == 2 && fromGiven {
			most := map[bool]string{true: "one value, for the direction of --from", false: "at most two values, from A and " +
				"from B"}[fromGiven]
			wrong.Add(fmt.Errorf("--%s %s: %s", f.Name, text, most))
			readable = false
			continue
		}
		for i, s := range ways {
			if err := f.set(s, values[min(i, len(values)-1)]); err != nil {
				wrong.Once(fmt.Errorf("--%s: %w", f.Name, err))
				readable = false
			}
		}
	}
	if !readable { // an unreadable setting would count as missing for those that need it
		return
	}
	for _, s := range ways {
		for _, err := range s.Problems() {
			wrong.Once(fmt.Errorf("--%w", err))
		}
	}
}

// WireType is the type of the JSON of linerate lab-wire.
func WireType() reflect.Type {
	return reflect.TypeFor[wireReport]()
}

// WireOptions are the flags of lab-wire.
type WireOptions struct {
	Texts          map[string]*string // settings of the directions, as typed
	From           string             // the only interface whose frames are affected
	FromGiven      bool
	Both, UntilEOF bool
	Seed           uint64
}

// CarryFrames forwards frames between two interfaces until ctx ends, and prints its counts.
func CarryFrames(ctx context.Context, e *cli.Env, args []string, o WireOptions) error {
	link := wire.Link{A: args[0], B: args[1], Seed: o.Seed}
	readWire(e, &link, o.Texts, o.From, o.Both, o.FromGiven)
	if err := e.Errors.Err(); err != nil {
		return err
	}
	link.Forwarding = func() { fmt.Fprintln(e.Out, "ready") }
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.UntilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, bufio.NewReader(e.In))
			cancel()
		}()
	}
	totals, err := link.Run(ctx)
	if err != nil && totals == (wire.Totals{}) {
		return err
	}
	return errors.Join(err, json.NewEncoder(e.Out).
		Encode(wireReport{Schema: "linerate/lab-wire/1", Seed: o.Seed, Directions: []wireDirection{
			{link.A, link.B, totals.ToB}, {link.B, link.A, totals.ToA},
		}}))
}
