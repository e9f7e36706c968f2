package ceilings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/figures"
	"linerate/internal/record/claims"
)

// ClaimFlags name figures, and the link to compare them with, as for ceiling.
type ClaimFlags struct {
	Flags
	figures []string
	routed  bool
}

// Define adds the flags.
func (f *ClaimFlags) Define(flags *pflag.FlagSet) {
	f.Flags.Define(flags)
	flags.StringSliceVar(&f.figures, "value", nil,
		"a rate that was read somewhere: 9.6G, 8860MiB/s, 74.5GiB/2m, '<20G'; @MTU behind it")
	flags.BoolVar(&f.routed, "routed", false, "it went from one subnet into another")
	for _, name := range []string{"variant", "depth", "latency"} {
		_ = flags.MarkHidden(name)
	}
}

// HasValues reports whether figures are on the command line.
func (f *ClaimFlags) HasValues() bool { return len(f.figures) > 0 }

// HasMTU reports whether the MTU is on the command line.
func (f *ClaimFlags) HasMTU() bool { return f.IsGiven("mtu") }

// HasCeiling reports whether a link, a slot or a drive is on the command line.
func (f *ClaimFlags) HasCeiling() bool { return f.rate != "" || f.pcie != "" || f.drive != "" }

// SetLink sets the link's rate, and its MTU if it is not 0, as the text that is explained has them.
func (f *ClaimFlags) SetLink(rate unit.BitRate, mtu int) {
	f.rate = strconv.FormatFloat(float64(rate)/1e6, 'f', -1, 64) + "M"
	f.Given = append(f.Given, "link")
	if mtu != 0 && !f.HasMTU() {
		f.mtu = mtu
		f.Given = append(f.Given, "mtu")
	}
}

// Output is what a tool printed.
type Output struct {
	Tool string // its name in package claims
	Name string // of its file, with the line where there are several
	Text string
	// Command is what was typed for it; empty: not known.
	Command string
	MTU     int // of its link; 0: not said
}

// ReadClaims returns the figures of outputs and of the command line, with their ceilings. The errors of flags are those
// of the command line; failed are outputs that cannot be read.
func ReadClaims(e *cli.Env, f *ClaimFlags, outputs []Output) (all []*figures.Claim, failed []error, err error) {
	wrong := &e.Errors
	if len(f.transports) > 1 {
		wrong.Add(fmt.Errorf("--transport %s: a figure is of one transport", strings.Join(f.transports, ",")))
	}
	f.Given = slices.DeleteFunc(f.Given, func(name string) bool { return slices.Contains(ownFlags, name) })
	for _, o := range outputs {
		got, err := claims.Read(o.Tool, []byte(o.Text))
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", o.Name, err))
			continue
		}
		for _, x := range got {
			x.Loopback = cmp.Or(x.Loopback, claims.LoopbackTyped(o.Command))
			said := figures.Said{Name: o.Name}
			if x.Row != "" {
				said.Name += ": " + x.Row
			}
			all = append(all, f.claim(x, said, o.MTU, wrong))
		}
	}
	for _, text := range f.figures {
		rate, mtu, err := WithMTU(text)
		if err == nil {
			var got claims.Figure
			var said figures.Said
			if got, said, err = readFigure(rate); err == nil {
				said.Name = text
				all = append(all, f.claim(got, said, mtu, wrong))
			}
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--value %s: %w", text, err))
		}
	}
	if err := wrong.Err(); err != nil {
		return nil, nil, err
	}
	figures.Claims(all)
	return all, failed, nil
}

// ownFlags are flags of explain alone, which ceilings do not know.
var ownFlags = []string{"value", "routed", "tool", "list", "before", "after"}

// WithMTU splits an @MTU off a name; 0: there is none.
func WithMTU(name string) (string, int, error) {
	at := strings.LastIndexByte(name, '@')
	if at <= 0 {
		return name, 0, nil
	}
	n, err := strconv.Atoi(name[at+1:])
	if err != nil {
		return name, 0, cli.Advise(fmt.Errorf("%q behind the @ is not an MTU", name[at+1:]),
			fmt.Sprintf("write %s@9000", name[:at]))
	}
	return name[:at], n, nil
}

// readFigure reads a rate, a bound (<20G), or bytes in a time (74.5GiB/2m).
func readFigure(text string) (claims.Figure, figures.Said, error) {
	var said figures.Said
	text, said.LessThan = strings.CutPrefix(text, "<")
	if amount, per, ok := strings.Cut(text, "/"); ok {
		took, err := unit.ParseDuration(per)
		if err == nil {
			bytes, err := unit.ParseBytes(amount)
			if err == nil && (bytes <= 0 || took <= 0) {
				err = cli.Advise(errors.New("nothing was carried"),
					"write the bytes and the time, such as 74.5GiB/2m")
			}
			if err != nil {
				return claims.Figure{}, said, err
			}
			rate := unit.BitRate(float64(bytes) * 8 / took.Seconds())
			line := fmt.Sprintf("%s in %s: %d bytes x 8 / %v s = %v", amount, per, bytes, took.Seconds(), rate)
			if strings.HasSuffix(amount, "B") && !strings.HasSuffix(amount, "iB") {
				if more, err := unit.ParseBytes(strings.TrimSuffix(amount, "B") + "iB"); err == nil && more > bytes {
					said.Binary = unit.BitRate(float64(more) * 8 / took.Seconds())
					line += fmt.Sprintf(" (if powers of 1024 were meant: %v)", said.Binary)
				}
			}
			return claims.Said(rate, line), said, nil
		}
	}
	said.Binary = binary(text)
	rate, err := unit.ParseBitRate(text)
	if err == nil && rate <= 0 {
		err = cli.Advise(errors.New("nothing was carried"),
			"write the rate that was read")
	}
	return claims.Said(rate, rate.String()+" ("+rate.BytesPerSecond()+")"), said, err
}

// binary is a rate in MB/s or GB/s, if its unit means powers of 1024, as Windows counts; 0: it has another unit.
func binary(text string) unit.BitRate {
	for _, name := range []string{"KB/s", "MB/s", "GB/s"} {
		if amount, ok := strings.CutSuffix(text, name); ok {
			if rate, err := unit.ParseBitRate(amount + name[:1] + "iB/s"); err == nil {
				return rate
			}
		}
	}
	return 0
}

// claim is a figure with the chain of ceilings. The transport in the output counts unless a flag names another.
func (f *ClaimFlags) claim(got claims.Figure, said figures.Said, mtu int, wrong *cli.Errors) *figures.Claim {
	of := f.Flags
	packets, known := got.Packets()
	switch {
	case mtu != 0:
	case known && !f.IsGiven("mtu"):
		mtu = packets.MTU
		if got.Transport == "tcp" || got.Transport == "" {
			of.noTS, of.ipv6 = of.noTS || !packets.Timestamps, of.ipv6 || packets.IPv6
		}
	default:
		mtu, said.MTUAssumed = f.mtu, !f.IsGiven("mtu")
	}
	of.mtu = mtu
	said.Routed = f.routed
	if !f.IsGiven("transport") && f.rate != "" && infiniBandRate.FindString(f.rate) == "" {
		switch got.Transport {
		case "udp":
			of.transports = []string{"udp"}
		case "roce":
			of.transports = []string{"rocev2"}
		case "ib":
			wrong.Once(cli.Advise(fmt.Errorf("--link %s: the output says InfiniBand (Link type)", f.rate),
				"write --link EDR or its like, or --transport rocev2 if --force-link made it say "+
					"so"))
		}
	}
	if f.copies > 0 && f.nodes > 0 && f.writer != ceiling.WriterOutside {
		got.Line += fmt.Sprintf("; %v of each of %d nodes", got.Rate/unit.BitRate(f.nodes), f.nodes)
		got.Rate /= unit.BitRate(f.nodes)
	}
	if !f.HasCeiling() {
		return figures.WithoutCeiling(got, said, mtu)
	}
	var mine cli.Errors
	c := &figures.Claim{}
	asked, transports := of.asked(&mine)
	if len(mine.List) == 0 && len(transports) == 1 {
		var errs []error
		c, errs = figures.NewClaim(got, said, asked, transports[0])
		mine.List = append(mine.List, errs...)
	}
	for _, err := range mine.List {
		wrong.Once(err)
	}
	return c
}

// PrintClaims prints the verdicts, each with its sentence first.
func PrintClaims(e *cli.Env, all []*figures.Claim) {
	for i, c := range all {
		if i > 0 {
			fmt.Fprintln(e.Out)
		}
		v := c.Verdict
		name := cli.Clean(c.Row)
		if len(all) > 1 {
			name = cli.Clean(c.Name)
		}
		if name != "" {
			name += ": "
		}
		fmt.Fprintln(e.Out, name+v.Sentence)
		say := func(key, text string) {
			if text != "" {
				fmt.Fprintf(e.Out, "  %-11s %s\n", key, text)
			}
		}
		say("fix", v.Fix)
		say("verdict", strings.TrimSpace(v.Limiter+" "+strings.TrimSuffix("("+v.Confidence+")", "()")))
		for j, x := range v.Evidence {
			say(label(j, x.Counter), x.Text)
		}
		for _, x := range v.Candidates {
			say("perhaps", x.Limiter+": "+x.Text)
		}
		for j, x := range c.Predictions {
			say([]string{"predicted", ""}[min(j, 1)], fmt.Sprintf("%v with %s", x.Rate, x.If))
		}
		for j, x := range v.Unknown {
			say([]string{"unknown", ""}[min(j, 1)], x)
		}
		sizes(c.Sizes, c.Chain.Limit, say)
		say("then", v.NextCeiling)
		say("next", v.NextExperiment)
		if _, flag := c.NeedsCeiling(); flag != "" {
			say("help", flag)
		}
	}
}

// label is the key of a piece of evidence, which is the first or another one.
func label(i int, counter string) string {
	switch {
	case i == 0:
		return "input"
	case i == 1 && counter == "ceiling":
		return "ceiling"
	}
	return "evidence"
}

// sizes prints a sweep: each size with its rate, and the share of the ceiling.
func sizes(all []claims.Size, limit unit.BitRate, say func(key, text string)) {
	for i, s := range all {
		text := fmt.Sprintf("%-10v %10v", s.Block, s.Rate)
		if limit > 0 {
			text += "  " + unit.Percent(float64(s.Rate/limit))
		}
		if s.Latency > 0 {
			text = fmt.Sprintf("%-10v %10s", s.Block, unit.Seconds(s.Latency))
		}
		say([]string{"by size", ""}[min(i, 1)], text)
	}
}
