package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/record/claims"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/summary"
)

// whichCard says which cards of a run, or of a text, are meant.
type whichCard struct {
	pair string // A,B; empty: the first
	all  bool
}

func (e *env) showCommand() *cobra.Command {
	var which whichCard
	var as string
	var asJSON bool
	names, what := summary.Forms()
	var forms strings.Builder
	for _, name := range names {
		fmt.Fprintf(&forms, "\n  %-9s %s", name, what[name])
	}
	c := &cobra.Command{
		Use:   "show RUN",
		Short: "The card of a run: a block of text to post, which compare reads back",
		Long: `Prints the card of a run: both hosts, the link, a fixed set of figures in a fixed order (TCP with 1 and 8 streams each way and
both ways at once, round trips idle and under load, RDMA and CrystalDiskMark's rows where they were measured), each with its share
of the ceiling and both ends' processors, and the verdict. What the run lacks says not measured, a figure that is not there not known.
` + runWords + ` Also a file with a card in it, or - for standard input.
A run of several pairs of hosts has a card for each; the first is printed, and standard error says which others there are.
Forms:` + forms.String(),
		Example: `  linerate show latest
  linerate show latest --as markdown
  linerate show kxzp --as bbcode --pair nas,pc
  linerate show latest --as json --all`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON && c.Flags().Changed("as") && as != "json" {
				return fail(exitInput, fmt.Errorf("--json is --as json, and --as %s asks for another form; give one of them", as))
			}
			if asJSON {
				as = "json"
			}
			return e.showCards(args[0], as, which)
		},
	}
	c.Flags().StringVar(&as, "as", "text", strings.Join(names, ", "))
	c.Flags().StringVar(&which.pair, "pair", "", "the cards of these two hosts, A,B in either order; one host: that of its own storage")
	c.Flags().BoolVar(&which.all, "all", false, "all cards of the run")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, as --as json")
	return c
}

func (e *env) showCards(ref, as string, which whichCard) error {
	if names, _ := summary.Forms(); !slices.Contains(names, as) {
		e.wrong.add(fmt.Errorf("--as %s: no such form; write %s", clean(as), strings.Join(names, ", ")))
	}
	if which.all && which.pair != "" {
		e.wrong.add(errors.New("--all and --pair: all cards, or those of one pair; give one of them"))
	}
	if err := e.wrong.err(); err != nil {
		return err
	}
	all, problems, err := e.cardsOf(ref)
	if err != nil {
		return err
	}
	set, err := which.of(ref, all)
	if err != nil {
		return err
	}
	text, err := summary.Write(set, as)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(e.out, text); err != nil {
		return err
	}
	if len(set.Others) > 0 && as != "json" {
		fmt.Fprintln(e.err, clean(fmt.Sprintf("%s beside this: %s; --pair A,B prints those of a pair, --all all", report.Count(len(set.Others), "card"), firstOf(set.Others, 6))))
	}
	return e.unread(ref, problems)
}

// unread says what of a card could not be read; what could be was printed.
func (e *env) unread(ref string, problems summary.Problems) error {
	if len(problems) == 0 {
		return nil
	}
	for _, p := range problems {
		fmt.Fprintln(e.err, clean(nameOf(ref)+": "+p.Error()))
	}
	return fail(exitIncomplete, nil)
}

func firstOf(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:n], ", ") + fmt.Sprintf(" and %d more", len(list)-n)
}

// of picks the cards that are meant; the others are named.
func (w whichCard) of(ref string, all []*summary.Card) (summary.Set, error) {
	var set summary.Set
	wanted := strings.Split(w.pair, ",")
	for i := range wanted {
		wanted[i] = strings.TrimSpace(wanted[i])
	}
	slices.Sort(wanted)
	for i, c := range all {
		var hosts []string
		for _, e := range c.Ends {
			hosts = append(hosts, e.Host)
		}
		slices.Sort(hosts)
		switch {
		case w.all, w.pair == "" && i == 0, w.pair != "" && slices.Equal(hosts, wanted):
			set.Cards = append(set.Cards, c)
		default:
			set.Others = append(set.Others, c.Title())
		}
	}
	if len(set.Cards) == 0 {
		return set, fail(exitInput, fmt.Errorf("--pair %s: %s has no card of these hosts; it has %s", clean(w.pair), nameOf(ref), firstOf(set.Others, 20)))
	}
	return set, nil
}

// cardsOf are the cards of a run, or those that stand in a file or on standard input; problems are what is wrong with those.
func (e *env) cardsOf(ref string) ([]*summary.Card, summary.Problems, error) {
	if !isCardFile(ref) {
		o, err := e.figures(ref)
		if err != nil {
			return nil, nil, err
		}
		return e.runCards(o)
	}
	b, err := e.cardText(ref)
	if err != nil {
		return nil, nil, fail(exitInput, fmt.Errorf("%s: %w", nameOf(ref), err))
	}
	text, err := claims.Text(b)
	if err != nil {
		return nil, nil, fail(exitInput, fmt.Errorf("%s: %w", nameOf(ref), err))
	}
	all, problems := summary.ParseAll(text)
	if len(all) == 0 {
		return nil, nil, fail(exitInput, fmt.Errorf("%s: %w", nameOf(ref), problems))
	}
	return all, problems, nil
}

// runCards are the cards of a run; one that was cut off has no verdicts yet.
func (e *env) runCards(o *runfolder.Opened) ([]*summary.Card, summary.Problems, error) {
	if !o.Complete {
		if err := explained(o); err != nil {
			fmt.Fprintln(e.err, clean(fmt.Sprintf("the run in %s was cut off, and its verdicts are not known: %v", o.Dir, err)))
		}
	}
	all := summary.Of(o.Run)
	if len(all) == 0 {
		return nil, nil, fail(exitInput, fmt.Errorf("%s has no figure that a card shows: throughput over TCP, round trips, RDMA or CrystalDiskMark's rows, between two hosts; linerate report %s has what it measured", o.Dir, o.Run.ID))
	}
	return all, nil, nil
}

// cardLimit is the most that is read of a file with a card, in bytes.
const cardLimit = 4 << 20

func (e *env) cardText(ref string) ([]byte, error) {
	var from io.Reader = e.in
	if ref != "-" {
		f, err := os.Open(ref)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, cardLimit+1))
	if err == nil && len(b) > cardLimit {
		err = fmt.Errorf("it is longer than %d MiB; keep the card alone", cardLimit>>20)
	}
	return b, err
}

// isCardFile says whether a word names a text with a card, and no run.
func isCardFile(ref string) bool {
	if ref == "-" {
		return true
	}
	if base := filepath.Base(ref); base == runfolder.ManifestName || base == runfolder.JournalName {
		return false
	}
	info, err := os.Stat(ref)
	return err == nil && !info.IsDir() && !runfolder.IsPage(ref)
}

// nameOf is how a text is called where it is spoken of.
func nameOf(ref string) string {
	if ref == "-" {
		return "standard input"
	}
	return ref
}
