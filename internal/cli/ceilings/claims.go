package ceilings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// ClaimFlags name figures of other tools, and the link to compare them with, as for ceiling.
type ClaimFlags struct {
	Flags
	files   map[string]*[]string // by tool
	figures []string
	routed  bool
}

// Define adds the flags.
func (f *ClaimFlags) Define(flags *pflag.FlagSet) {
	f.Flags.Define(flags)
	f.files = map[string]*[]string{}
	for _, t := range claims.Tools() {
		f.files[t.Name] = flags.StringSlice(t.Name, nil, "what "+t.Name+" printed ("+t.Forms+"): FILE, or FILE@MTU")
	}
	flags.StringSliceVar(&f.figures, "figure", nil,
		"a rate that was read somewhere: 9.6G, 8860MiB/s, 74.5GiB/2m, '<20G'; @MTU behind it")
	flags.BoolVar(&f.routed, "routed", false, "it went from one subnet into another")
	for _, name := range []string{"variant", "depth", "latency"} {
		_ = flags.MarkHidden(name)
	}
}

// ExplainClaims explains figures that linerate did not measure.
func ExplainClaims(e *cli.Env, f *ClaimFlags) error {
	wrong := &e.Errors
	named := len(f.figures)
	for _, list := range f.files {
		named += len(*list)
	}
	if named == 0 {
		wrong.Add(errors.New(
			"name a run (a folder, its four letters, or latest), or a figure: --iperf3 FILE, --fio FILE, --figure 9.6G"))
	}
	if f.rate == "" && f.pcie == "" && f.drive == "" {
		wrong.Add(errors.New(
			"--rate: what the link carries is to be known; write the link's rate, such as 40G (of a drive alone: --drive " +
				"sata3, of a card's bus alone: --pcie 3.0x8)"))
	}
	if len(f.transports) > 1 {
		wrong.Add(fmt.Errorf("--transport %s: a figure is of one transport", strings.Join(f.transports, ",")))
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	f.Given = slices.DeleteFunc(f.Given,
		func(name string) bool { return f.files[name] != nil || name == "figure" || name == "routed" })
	var all []*figures.Claim
	for _, t := range claims.Tools() {
		for _, name := range *f.files[t.Name] {
			got, err := f.fromFile(t.Name, name, wrong)
			if err != nil {
				wrong.Add(fmt.Errorf("--%s %s: %w", t.Name, name, err))
			}
			all = append(all, got...)
		}
	}
	for _, text := range f.figures {
		rate, mtu, err := f.withMTU(text)
		if err == nil {
			var got claims.Figure
			var said figures.Said
			if got, said, err = readFigure(rate); err == nil {
				said.Name = text
				all = append(all, f.claim(got, said, mtu, wrong))
			}
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--figure %s: %w", text, err))
		}
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	figures.Claims(all)
	return printClaims(e, all, f.AsJSON)
}

// withMTU splits an @MTU off a name; 0: there is none.
func (f *ClaimFlags) withMTU(name string) (string, int, error) {
	at := strings.LastIndexByte(name, '@')
	if at <= 0 {
		return name, 0, nil
	}
	n, err := strconv.Atoi(name[at+1:])
	if err != nil {
		return name, 0, fmt.Errorf("%q behind the @ is no MTU; write %s@9000", name[at+1:], name[:at])
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
				err = errors.New("nothing was carried; write the bytes and the time, such as 74.5GiB/2m")
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
	rate, err := unit.ParseBitRate(text)
	if err == nil && rate <= 0 {
		err = errors.New("nothing was carried; write the rate that was read")
	}
	return claims.Said(rate, "it was said to be "+rate.String()+" ("+rate.BytesPerSecond()+")"), said, err
}

// fromFile reads a tool's output; an @MTU after the name is that of its link.
func (f *ClaimFlags) fromFile(tool, name string, wrong *cli.Errors) ([]*figures.Claim, error) {
	file, mtu, err := f.withMTU(name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) && failed.Op == "open" {
			err = failed.Err // the message contains the name already
		}
		return nil, err
	}
	got, err := claims.Read(tool, text)
	if err != nil {
		return nil, err
	}
	var out []*figures.Claim
	for _, x := range got {
		said := figures.Said{Name: file}
		if x.Row != "" {
			said.Name += ": " + x.Row
		}
		out = append(out, f.claim(x, said, mtu, wrong))
	}
	return out, nil
}

// claim is a figure with the chain of ceilings. The transport in the output counts unless a flag names another.
func (f *ClaimFlags) claim(got claims.Figure, said figures.Said, mtu int, wrong *cli.Errors) *figures.Claim {
	of := f.Flags
	if mtu == 0 {
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
			wrong.Once(fmt.Errorf(
				"--rate %s: the output says InfiniBand (Link type); write --rate EDR or its like, or --transport rocev2 if "+
					"--force-link made it say so", f.rate))
		}
	}
	if f.copies > 0 && f.nodes > 0 && f.writer != ceiling.WriterOutside {
		got.Line += fmt.Sprintf("; %v of each of %d nodes", got.Rate/unit.BitRate(f.nodes), f.nodes)
		got.Rate /= unit.BitRate(f.nodes)
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

// printClaims prints the verdicts, each with its sentence first.
func printClaims(e *cli.Env, all []*figures.Claim, asJSON bool) error {
	if asJSON {
		return e.PrintObject("explain", map[string]any{"figures": all})
	}
	for i, c := range all {
		if i > 0 {
			fmt.Fprintln(e.Out)
		}
		v := c.Verdict
		fmt.Fprintln(e.Out, c.Name+": "+v.Sentence)
		say := func(key, text string) {
			if text != "" {
				fmt.Fprintf(e.Out, "  %-11s %s\n", key, text)
			}
		}
		say("verdict", strings.TrimSpace(v.Limiter+" "+strings.TrimSuffix("("+v.Confidence+")", "()")))
		for j, x := range v.Evidence {
			say([]string{"evidence", ""}[min(j, 1)], x.Text)
		}
		for _, x := range v.Candidates {
			say("perhaps", x.Limiter+": "+x.Text)
		}
		for j, x := range c.Predictions {
			say([]string{"predicted", ""}[min(j, 1)], fmt.Sprintf("%v with %s", x.Rate, x.If))
		}
		for j, x := range v.Unknown {
			say([]string{"not known", ""}[min(j, 1)], x)
		}
		sizes(c.Sizes, c.Chain.Limit, say)
		say("fix", v.Fix)
		say("then", v.NextCeiling)
		say("try", v.NextExperiment)
	}
	return nil
}

// sizes prints a sweep: each size with its rate, and the share of the ceiling.
func sizes(all []claims.Size, limit unit.BitRate, say func(key, text string)) {
	for i, s := range all {
		text := fmt.Sprintf("%-10v %10v  %s", s.Block, s.Rate, unit.Percent(float64(s.Rate/limit)))
		if s.Latency > 0 {
			text = fmt.Sprintf("%-10v %10s", s.Block, unit.Seconds(s.Latency))
		}
		say([]string{"by size", ""}[min(i, 1)], text)
	}
}
