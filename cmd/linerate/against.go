package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run"
)

// common are the flags of measure that are of both sides of --against: the same
// two ends, the same run.
var common = []string{"from", "to", "to-address", "rate", "agent", "output", "resume", "json", "jsonl", "repeats", "against", "order", "seed", "until", "repeats-at-most", "samples"}

// otherSide reads the flags of --against on top of f.
func (f measureFlags) otherSide() (measureFlags, error) {
	words, err := splitWords(f.against)
	if err != nil {
		return f, err
	}
	other := measureFlags{}
	flags := pflag.NewFlagSet("--against", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	other.add(flags)
	var unread mistakes
	readAll(flags, &unread)
	other = f // what is not named there is as on this side
	if err := flags.Parse(words); err != nil {
		return f, fmt.Errorf("--against %q: %w; it takes the flags that differ, such as --against \"--streams 4\"", f.against, err)
	}
	if flags.NArg() > 0 {
		return f, fmt.Errorf("--against %q: %q is no flag", f.against, flags.Arg(0))
	}
	if len(unread.list) > 0 {
		return f, fmt.Errorf("--against %q: %w", f.against, unread.list[0])
	}
	others := changed(flags)
	other.given = append(slices.Clone(f.given), others...)
	flags.Visit(func(x *pflag.Flag) {
		if slices.Contains(common, x.Name) && err == nil {
			err = fmt.Errorf("--against: --%s is the same on both sides; write it beside --against", x.Name)
		}
	})
	if err == nil && len(others) == 0 {
		err = errors.New(`--against: no flag in it; write those that differ, such as --against "--streams 4"`)
	}
	return other, err
}

// bothSides are the cells of f and of its other side, which alternate: A B A B.
func (f measureFlags) bothSides(method string, p *plan.Plan, cells []*run.Cell) ([]*run.Cell, error) {
	other, err := f.otherSide()
	if err != nil {
		return nil, err
	}
	x, _ := other.experiment(method, &mistakes{}) // which were told before the measurement
	q := *p
	q.Variant = strings.Join(strings.Fields(f.against), " ")
	declared := *p.Fabric
	declared.Experiments = []*fabric.Experiment{x}
	q.Fabric = &declared
	more, err := run.Cells(&q, run.Options{Repeats: f.repeats, Sources: true})
	if err != nil {
		return nil, err
	}
	if len(more) != len(cells) {
		return nil, fmt.Errorf("--against: one side has %d experiments, the other %d, and each needs its counterpart; give flags with lists as many values on both sides", len(cells), len(more))
	}
	for i := range cells {
		cells[i].Turn = fmt.Sprintf("turn %d", i)
		more[i].Turn = cells[i].Turn
	}
	return append(cells, more...), nil
}

// splitWords splits a text at spaces; quotes keep words together.
func splitWords(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	quote, has := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, has = r, true
		case unicode.IsSpace(r):
			if has || word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
			has = false
		default:
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%q: a quote is not closed", text)
	}
	if has || word.Len() > 0 {
		out = append(out, word.String())
	}
	return out, nil
}
