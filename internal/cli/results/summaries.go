package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/record/claims"
	"linerate/internal/record/runfolder"
	"linerate/internal/report/picture"
	"linerate/internal/report/summary"
)

// Choice selects summaries of a run, or of a text.
type Choice struct {
	Pair string // A,B; empty: the first
	All  bool
}

// PictureForms are the forms of pictures, with a description of each.
var PictureForms = [][2]string{{"svg", "a picture, 1200 x 630, with text as text"},
	{"png", "the same picture as pixels"}}

// Picture is what share draws: the file it is written to (empty: standard output), and its colours.
type Picture struct {
	File string
	Dark bool
}

// IsPicture reports whether a form is a picture.
func IsPicture(form string) bool {
	return slices.ContainsFunc(PictureForms, func(f [2]string) bool { return f[0] == form })
}

// DrawSummaries draws the summary of a run, or those of two runs: before and after a change.
func DrawSummaries(e *cli.Env, refs []string, form string, which Choice, p Picture) error {
	if which.All {
		e.Errors.Add(cli.Advise(errors.New("--all: a picture shows one pair of hosts"), "choose it by --pair A,B"))
	}
	var picked []*summary.Summary
	for _, ref := range refs {
		all, problems, err := readSummaries(e, ref)
		if err == nil {
			err = reportUnread(e, ref, problems)
		}
		var set summary.Set
		if err == nil {
			set, err = which.of(ref, all)
		}
		if err != nil {
			e.Errors.Add(err)
			continue
		}
		picked = append(picked, set.Summaries[0])
	}
	if err := e.Errors.Err(); err != nil {
		return err
	}
	b, err := picture.Draw(picked, form, p.Dark)
	if err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	if p.File == "" {
		_, err = e.Out.Write(b)
		return err
	}
	return cli.WriteNew(p.File, b)
}

// ShowSummaries prints the summaries of runs.
func ShowSummaries(e *cli.Env, ref, as string, which Choice) error {
	if names, _ := summary.Forms(); !slices.Contains(names, as) {
		e.Errors.Add(cli.Advise(fmt.Errorf("--format %s: no such form", cli.Clean(as)),
			fmt.Sprintf("write %s, svg or png", strings.Join(names, ", "))))
	}
	if which.All && which.Pair != "" {
		e.Errors.Add(cli.Advise(errors.New("--all and --pair: all summaries, or those of one pair"),
			"give one of them"))
	}
	if err := e.Errors.Err(); err != nil {
		return err
	}
	all, problems, err := readSummaries(e, ref)
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
	if _, err := io.WriteString(e.Out, text); err != nil {
		return err
	}
	if len(set.Others) > 0 && as != "json" {
		fmt.Fprintln(e.Err, cli.Clean(fmt.Sprintf("%s next to this: %s; --pair A,B prints those of a pair, --all all",
			unit.Counted(len(set.Others), "summary"), cli.FirstOf(set.Others, 6))))
	}
	return reportUnread(e, ref, problems)
}

// reportUnread reports which parts of a summary could not be read; the others were printed.
func reportUnread(e *cli.Env, ref string, problems summary.Problems) error {
	if len(problems) == 0 {
		return nil
	}
	for _, p := range problems {
		fmt.Fprintln(e.Err, cli.Clean(nameOf(ref)+": "+p.Error()))
	}
	return cli.Fail(cli.ExitIncomplete, nil)
}

// of selects the summaries, and names the others.
func (w Choice) of(ref string, all []*summary.Summary) (summary.Set, error) {
	var set summary.Set
	pair := strings.Split(w.Pair, ",")
	for i := range pair {
		pair[i] = strings.TrimSpace(pair[i])
	}
	slices.Sort(pair)
	for i, c := range all {
		hosts := xslices.Map(c.Ends, func(e summary.End) string { return e.Host })
		slices.Sort(hosts)
		switch {
		case w.All, w.Pair == "" && i == 0, w.Pair != "" && slices.Equal(hosts, pair):
			set.Summaries = append(set.Summaries, c)
		default:
			set.Others = append(set.Others, c.Title())
		}
	}
	if len(set.Summaries) == 0 {
		return set, cli.Fail(cli.ExitInput,
			cli.Advise(fmt.Errorf("--pair %s: %s has no summary of these hosts", cli.Clean(w.Pair), nameOf(ref))).
				Note(fmt.Sprintf("it has %s", cli.FirstOf(set.Others, 20))))
	}
	return set, nil
}

// readSummaries are the summaries of a run, or those in a file or on standard input, whose errors are in problems.
func readSummaries(e *cli.Env, ref string) ([]*summary.Summary, summary.Problems, error) {
	if !IsSummaryFile(ref) {
		o, err := OpenFigures(e, ref)
		if err != nil {
			return nil, nil, err
		}
		return runSummaries(e, o)
	}
	b, err := summaryText(e, ref)
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", nameOf(ref), err))
	}
	text, err := claims.Text(b)
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", nameOf(ref), err))
	}
	all, problems := summary.ParseAll(text)
	if len(all) == 0 {
		return nil, nil, cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", nameOf(ref), problems))
	}
	return all, problems, nil
}

// runSummaries are the summaries of a run; an interrupted one has no verdicts yet.
func runSummaries(e *cli.Env, o *runfolder.Opened) ([]*summary.Summary, summary.Problems, error) {
	if !o.Complete {
		if err := Explained(o); err != nil {
			fmt.Fprintln(e.Err,
				cli.Clean(fmt.Sprintf("the run in %s was cut off, and its verdicts are not known: %v", o.Dir, err)))
		}
	}
	all := summary.Of(o.Run)
	if len(all) == 0 {
		return nil, nil, cli.Fail(cli.ExitInput, cli.Advise(
			fmt.Errorf("%s has no figure that a summary shows: throughput over TCP, round trips, RDMA "+
				"or CrystalDiskMark's rows, between two hosts", o.Dir),
			fmt.Sprintf("linerate report %s has what it measured", o.Run.ID)))
	}
	return all, nil, nil
}

// summaryLimit is the size limit of a file with a summary, in bytes.
const summaryLimit = 4 << 20

func summaryText(e *cli.Env, ref string) ([]byte, error) {
	var from io.Reader = e.In
	if ref != "-" {
		f, err := os.Open(ref)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, summaryLimit+1))
	if err == nil && len(b) > summaryLimit {
		err = cli.Advise(fmt.Errorf("it is longer than %d MiB", summaryLimit>>20),
			"keep the summary alone")
	}
	return b, err
}

// IsSummaryFile reports whether an argument is a text with a summary, not a run.
func IsSummaryFile(ref string) bool {
	if ref == "-" {
		return true
	}
	if base := filepath.Base(ref); base == runfolder.ManifestName || base == runfolder.JournalName {
		return false
	}
	info, err := os.Stat(ref)
	return err == nil && !info.IsDir() && !runfolder.IsPage(ref)
}

// Figures refuses arguments that are pictures: all figures of a picture are pixels or outlines.
func Figures(e *cli.Env, refs []string) error {
	for _, ref := range refs {
		if IsPicture(strings.ToLower(strings.TrimPrefix(filepath.Ext(ref), "."))) {
			e.Errors.Add(&cli.Advice{ID: diag.NotRecognised, Text: cli.Clean(ref) + ": a picture has no figures",
				Help: []string{"linerate compare RUN RUN takes runs: their folder, their four letters, or latest",
					"linerate share RUN > FILE.txt writes the summary as text, which compare reads"}})
		}
	}
	return e.Errors.Err()
}

// nameOf is the name of a text in messages.
func nameOf(ref string) string {
	if ref == "-" {
		return "standard input"
	}
	return ref
}
