package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"linerate/ceiling"
	"linerate/explain"
	"linerate/figure"
	"linerate/path"
	"linerate/unit"
)

// claimFlags name figures of others, and the link that they are held against as for ceiling.
type claimFlags struct {
	ceilingFlags
	iperf3  []string
	figures []string
}

func (f *claimFlags) define(flags *pflag.FlagSet) {
	f.ceilingFlags.define(flags)
	flags.StringSliceVar(&f.iperf3, "iperf3", nil, "what iperf3 printed, as JSON or text: FILE, or FILE@MTU")
	flags.StringSliceVar(&f.figures, "figure", nil, "a rate that was read somewhere, such as 9.6G")
	for _, name := range []string{"variant", "copies", "nodes", "depth", "latency"} {
		_ = flags.MarkHidden(name)
	}
}

// onlyWithoutRun refuses the flags that say what a run says.
func (f *claimFlags) onlyWithoutRun(wrong *mistakes) {
	for _, name := range slices.Sorted(maps.Keys(f.given)) {
		if name != "json" {
			wrong.add(fmt.Errorf("--%s: a run says it; leave it out, or explain a figure without a run", name))
		}
	}
}

// explainClaims explains figures that linerate did not measure.
func (e *env) explainClaims(f *claimFlags) error {
	wrong := &e.wrong
	if len(f.iperf3)+len(f.figures) == 0 {
		wrong.add(errors.New("name a run (a folder, its four letters, or latest), or a figure: --iperf3 FILE, --figure 9.6G"))
	}
	if f.rate == "" {
		wrong.add(errors.New("--rate: what the link carries is to be known; write the link's rate, such as 40G"))
	}
	if len(f.transports) > 1 {
		wrong.add(fmt.Errorf("--transport %s: a figure is of one transport", strings.Join(f.transports, ",")))
	}
	if err := wrong.err(); err != nil {
		return err
	}
	for _, name := range []string{"iperf3", "figure"} {
		delete(f.given, name)
	}
	var all []*explain.Claim
	for _, name := range f.iperf3 {
		c, err := f.fromFile("iperf3", name, wrong)
		if err != nil {
			wrong.add(fmt.Errorf("--iperf3 %s: %w", name, err))
			continue
		}
		all = append(all, c)
	}
	for _, text := range f.figures {
		rate, err := unit.ParseBitRate(text)
		if err == nil && rate <= 0 {
			err = errors.New("nothing was carried; write the rate that was read")
		}
		if err != nil {
			wrong.add(fmt.Errorf("--figure %s: %w", text, err))
			continue
		}
		all = append(all, f.claim(figure.Figure{Rate: rate, Line: "it was said to be " + rate.String()}, text, f.mtu, wrong))
	}
	if err := wrong.err(); err != nil {
		return err
	}
	explain.Claims(all)
	return e.claims(all, f.asJSON)
}

// fromFile reads a tool's output; an @MTU behind the name is that of its link.
func (f *claimFlags) fromFile(tool, name string, wrong *mistakes) (*explain.Claim, error) {
	mtu := f.mtu
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		n, err := strconv.Atoi(name[at+1:])
		if err != nil {
			return nil, fmt.Errorf("%q behind the @ is no MTU; write FILE@9000", name[at+1:])
		}
		name, mtu = name[:at], n
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "open "+name+": "))
	}
	got, err := figure.Read(tool, text)
	if err != nil {
		return nil, err
	}
	if got.Transport == "udp" && !f.given["transport"] {
		f.transports = []string{"udp"}
	}
	return f.claim(got, name, mtu, wrong), nil
}

// claim is a figure with the chain of what could have been carried.
func (f *claimFlags) claim(got figure.Figure, name string, mtu int, wrong *mistakes) *explain.Claim {
	of := f.ceilingFlags
	of.mtu = mtu
	c := &explain.Claim{Figure: got, Name: name, MTU: mtu}
	var mine mistakes
	asked, transports := of.asked(&mine)
	if len(mine.list) == 0 && len(transports) == 1 {
		chain, _, errs := asked.Chain(transports[0])
		c.Chain = chain
		mine.list = append(mine.list, errs...)
		if asked.InfiniBand == "" && !strings.HasPrefix(transports[0].Name, "roce") {
			if l, err := ceiling.Layer2(asked.Rate, asked.Frame); err == nil {
				c.Frames = l.Rate
			}
		}
		if transports[0].Name == "tcp" {
			c.Segment = asked.Frame.Segment()
			plain := asked
			plain.Frame.Timestamps = false
			if chain, _, errs := plain.Chain(transports[0]); len(errs) == 0 {
				c.Plain = chain.Limit
			}
		}
	}
	for _, err := range mine.list {
		wrong.once(err)
	}
	return c
}

func (e *env) claims(all []*explain.Claim, asJSON bool) error {
	if asJSON {
		return e.object("explain", map[string]any{"figures": all})
	}
	for i, c := range all {
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		v := c.Verdict
		fmt.Fprintln(e.out, c.Name+": "+v.Sentence)
		say := func(key, text string) {
			if text != "" {
				fmt.Fprintf(e.out, "  %-11s %s\n", key, text)
			}
		}
		say("verdict", strings.TrimSpace(v.Limiter+" "+strings.TrimSuffix("("+v.Confidence+")", "()")))
		for j, x := range v.Evidence {
			say([]string{"evidence", ""}[min(j, 1)], x.Text)
		}
		for _, x := range v.Candidates {
			say("perhaps", x.Limiter+": "+x.Text)
		}
		say("fix", v.Fix)
		say("then", v.NextCeiling)
		say("try", v.NextExperiment)
		say("ceiling", ceilingLine(c.Chain))
	}
	return nil
}

// ceilingLine is the lowest hop of a chain with its formula.
func ceilingLine(c path.Chain) string {
	for _, h := range c.Hops {
		if h.Component == c.Component {
			return fmt.Sprintf("%s: %v = %s", h.Component, h.Rate.Or(0), h.Formula)
		}
	}
	return ""
}
