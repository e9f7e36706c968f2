package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report/compare"
)

// Compare compares runs and prints the differences.
func Compare(e *cli.Env, refs []string, by, page string, asJSON bool) error {
	runs, err := allFigures(e, refs)
	if err != nil {
		return err
	}
	list, err := comparisons(runs, by)
	if err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	set := compare.NewSet(runs, list)
	return printCompared(e, runs, set, page, asJSON)
}

// printCompared prints comparisons, and writes their page if one is requested. runs is empty for summaries.
func printCompared(e *cli.Env, runs []*record.Run, set compare.ComparisonSet, page string, asJSON bool) error {
	if page != "" {
		if err := comparePage(e, runs, set, page); err != nil {
			return err
		}
	}
	if asJSON {
		return compare.JSON(e.Out, set)
	}
	if err := compare.Print(e.Terminal(), set); err != nil || page == "" {
		return err
	}
	_, err := fmt.Fprintf(e.Out, "\npage  %s\n", cli.Clean(page))
	return err
}

// comparePage writes the page of a comparison. It never replaces a file that is not linerate's.
func comparePage(e *cli.Env, runs []*record.Run, set compare.ComparisonSet, page string) error {
	switch info, err := os.Stat(page); {
	case err == nil && info.IsDir():
		return cli.Fail(cli.ExitInput,
			cli.Advise(fmt.Errorf("-o %s: it is a folder", cli.Clean(page)),
				fmt.Sprintf("write the name of a file, as in -o %s", cli.Clean(filepath.Join(page, "compare.html")))))
	case err == nil:
		old, err := os.ReadFile(page)
		if err != nil || !bytes.Contains(old[:min(len(old), 4096)], []byte(`<meta name="generator" content="linerate `)) {
			return cli.Fail(cli.ExitRefused,
				cli.Advise(fmt.Errorf("-o %s: the file is there, and linerate did not write it", cli.Clean(page)),
					"give another name, or remove it"))
		}
	case !errors.Is(err, fs.ErrNotExist):
		return cli.Fail(cli.ExitInput, fmt.Errorf("-o %s: %w", cli.Clean(page), err))
	}
	if err := runfolder.WriteFile(page, func(w io.Writer) error { return compare.HTML(w, runs, set) }); err != nil {
		return cli.Fail(cli.ExitInput, fmt.Errorf("-o %s: %w", cli.Clean(page), err))
	}
	return nil
}

func comparisons(runs []*record.Run, by string) ([]record.Comparison, error) {
	switch {
	case by != "" && len(runs) > 1:
		return nil, fmt.Errorf("--by %s compares inside one run, and %d are given", by, len(runs))
	case by == "variant" && len(runs[0].Variants) > 0:
		return compare.Variants(runs[0]), nil
	case by != "":
		return compare.By(runs[0], by)
	case len(runs) > 1:
		return compare.Runs(runs), nil
	case len(runs[0].Variants) > 0:
		return compare.Variants(runs[0]), nil
	}
	return nil, errors.New("one run of one variant: name a second run, or a parameter with --by")
}

// allFigures reads several runs in parallel: a very large one takes a second.
func allFigures(e *cli.Env, refs []string) ([]*record.Run, error) {
	opened, errs := make([]*runfolder.Opened, len(refs)), make([]error, len(refs))
	sparingly()
	var all sync.WaitGroup
	for i, ref := range refs {
		all.Go(func() { opened[i], errs[i] = runfolder.OpenBrief(ref, "runs") })
	}
	all.Wait()
	var runs []*record.Run
	for i, o := range opened {
		if errs[i] != nil {
			return nil, cli.InputOr(errs[i])
		}
		printNotes(e, o)
		runs = append(runs, o.Run)
	}
	return runs, nil
}
