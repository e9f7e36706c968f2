package measure

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// common are the flags that both sides of --compare-with share: the same two ends, the same run.
var common = []string{"from", "to", "to-address", "link", "agent", "output", "resume", "json", "jsonl", "repeats",
	"compare-with", "order", "seed", "until", "repeats-at-most", "samples"}

// otherSide parses the flags of --compare-with on top of f.
func (f Flags) otherSide() (Flags, error) {
	words, err := splitWords(f.against)
	if err != nil {
		return f, err
	}
	other := Flags{}
	flags := pflag.NewFlagSet("--compare-with", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	other.Define(flags)
	settings := other.Settings
	var unread cli.Errors
	cli.NoteUnreadable(flags, &unread)
	other = f // flags that it does not name stay
	settings.Take(f.Settings)
	other.Settings = settings
	if err := flags.Parse(words); err != nil {
		return f, cli.Advise(fmt.Errorf("--compare-with %q: %w", f.against, err)).
			Note(`it takes the flags that differ, such as --compare-with "--streams 4"`)
	}
	if flags.NArg() > 0 {
		return f, fmt.Errorf("--compare-with %q: %q is not a flag", f.against, flags.Arg(0))
	}
	if len(unread.List) > 0 {
		return f, fmt.Errorf("--compare-with %q: %w", f.against, unread.List[0])
	}
	others := cli.GivenFlags(flags)
	other.Given = append(slices.Clone(f.Given), others...)
	flags.Visit(func(x *pflag.Flag) {
		if slices.Contains(common, x.Name) && err == nil {
			err = cli.Advise(fmt.Errorf("--compare-with: --%s is the same on both sides", x.Name),
				"write it next to --compare-with")
		}
	})
	if err == nil && len(others) == 0 {
		err = cli.Advise(errors.New("--compare-with: no flag in it"),
			`write those that differ, such as --compare-with "--streams 4"`)
	}
	return other, err
}

// bothSides are the combinations of f and of its other side, which alternate: A B A B.
func (f Flags) bothSides(of string, p *plan.Plan,
	combinations []*experiment.Combination) ([]*experiment.Combination, error) {
	other, err := f.otherSide()
	if err != nil {
		return nil, err
	}
	x, _ := other.experiment(of, &cli.Errors{}) // which were reported before the measurement
	q := *p
	q.Variant = strings.Join(strings.Fields(f.against), " ")
	declared := *p.Fabric
	declared.Experiments = []*fabric.Experiment{x}
	q.Fabric = &declared
	more, err := run.Combinations(&q, experiment.Options{Repeats: f.Repeats, Sources: true})
	if err != nil {
		return nil, err
	}
	if len(more) != len(combinations) {
		return nil, cli.Advise(
			fmt.Errorf("--compare-with: one side has %d experiments, the other %d, and each needs its "+
				"counterpart", len(combinations), len(more)),
			"give flags with lists as many values on both sides")
	}
	for i := range combinations {
		combinations[i].Turn = fmt.Sprintf("turn %d", i)
		more[i].Turn = combinations[i].Turn
	}
	return append(combinations, more...), nil
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
