package planning

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/agent"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/record/runfolder"
	"linerate/internal/report/design"
)

// planFile, in a plan's folder, lists the files that linerate wrote.
const planFile = "plan.json"

// planFolder writes a plan into a folder. An existing file that linerate did not write there, or that was changed
// since, is never replaced: then nothing is written.
func planFolder(e *cli.Env, p *plan.Plan, dir string) error {
	files, err := planFiles(p)
	if err != nil {
		return err
	}
	written, err := planWritten(dir)
	if err != nil {
		return err
	}
	accepted := map[string][]string{}
	for _, f := range files {
		have, err := sumOf(filepath.Join(dir, f.name))
		if err != nil {
			return err
		}
		known := false
		for _, sum := range written[f.name] {
			known = known || sum == have
		}
		if have != "" && !known {
			return cli.Fail(cli.ExitRefused, cli.Advise(
				fmt.Errorf("%s is not as linerate wrote it, or is not linerate's: nothing was written",
					filepath.Join(dir, f.name)),
				"move it away, or choose another folder with -o"))
		}
		accepted[f.name] = []string{f.sum()}
		if have != "" && have != f.sum() {
			accepted[f.name] = append(accepted[f.name], have)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the folder of the plan: %w", err)
	}
	// First all hashes that may exist from now on, old or new: if this process ends in the middle, the next one still
	// recognizes each file as linerate's.
	for _, last := range []bool{false, true} {
		if last {
			for name, sums := range accepted {
				accepted[name] = sums[:1]
			}
		}
		if err := runfolder.WriteFile(filepath.Join(dir, planFile),
			func(w io.Writer) error { return design.PlanFile(w, p, accepted) }); err != nil {
			return fmt.Errorf("the plan could not be written: %w", err)
		}
		for _, f := range files {
			if last {
				break
			}
			if err := runfolder.WriteFile(filepath.Join(dir, f.name),
				func(w io.Writer) error { _, err := w.Write(f.text); return err }); err != nil {
				return fmt.Errorf("the plan could not be written: %w", err)
			}
		}
	}
	return nil
}

type madeFile struct {
	name string
	text []byte
}

func (f madeFile) sum() string { return sum(f.text) }

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// planFiles makes all files of a plan's folder but plan.json.
func planFiles(p *plan.Plan) ([]madeFile, error) {
	var out []madeFile
	add := func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		out = append(out, madeFile{name, b.Bytes()})
		return nil
	}
	errs := []error{add("plan.html", func(w io.Writer) error { return design.HTML(w, p, agent.Version()) }),
		add("labels.html", func(w io.Writer) error { return design.LabelsHTML(w, p, agent.Version()) })}
	for _, table := range design.Tables() {
		errs = append(errs, add(table+".csv", func(w io.Writer) error { return design.CSV(w, p, table) }))
	}
	return out, errors.Join(errs...)
}

// planWritten reads which files linerate wrote into a folder, by their hashes. A plan.json that is not linerate's is
// refused.
func planWritten(dir string) (map[string][]string, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, cli.Fail(cli.ExitRefused, cli.Advise(fmt.Errorf("%s is a file", dir)).
			Note("-o names a folder, new or with an older plan"))
	}
	name := filepath.Join(dir, planFile)
	refused := cli.Fail(cli.ExitRefused,
		cli.Advise(fmt.Errorf("%s is not a plan of linerate: nothing was written", name),
			"move it away, or choose another folder with -o"))
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the folder of the plan: %w", err)
	case !info.Mode().IsRegular():
		return nil, refused
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the folder of the plan: %w", err)
	}
	var have struct {
		Schema string              `json:"schema"`
		Files  map[string][]string `json:"files"`
	}
	if json.Unmarshal(text, &have) != nil || !strings.HasPrefix(have.Schema, "linerate/plan/") {
		return nil, refused
	}
	return have.Files, nil
}

// sumOf is the hash of a regular file; empty if there is none. Other kinds of files get a hash that linerate never
// wrote.
func sumOf(name string) (string, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the folder of the plan: %w", err)
	case !info.Mode().IsRegular():
		return "no file", nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("the folder of the plan: %w", err)
	}
	return sum(text), nil
}

// Compare compares two designs: of two files, or of one with two variants.
func Compare(e *cli.Env, files []string, variant, against string, asJSON bool) error {
	a, errA := e.Load(files[0], variant)
	b, errB := e.Load(files[len(files)-1], against)
	switch {
	case errA != nil && errB != nil && errA.Error() != errB.Error():
		return cli.Fail(max(cli.ExitCode(errA), cli.ExitCode(errB)), errors.Join(errA, errB))
	case errA != nil:
		return errA
	case errB != nil:
		return errB
	}
	c := plan.Compare(a, b)
	if asJSON {
		return design.CompareJSON(e.Out, c)
	}
	return design.PrintPlanCompare(e.Terminal(), c)
}

// Comparing reports whether a command line of plan compares two designs, and returns its errors.
func Comparing(c *cobra.Command, files []string, variant, against string) (bool, error) {
	named := slices.Contains(cli.GivenFlags(c.Flags()), "compare-with")
	if len(files) < 2 && !named {
		return false, nil
	}
	for _, flag := range []string{"output", "csv"} {
		if slices.Contains(cli.GivenFlags(c.Flags()), flag) {
			return true, cli.Advise(fmt.Errorf("--%s is of one design, and these are two", flag),
				"omit it, or plan one of them alone")
		}
	}
	if len(files) == 1 && variant == against {
		return true, cli.Advise(fmt.Errorf("--compare-with %q: that is the design itself", against),
			"name another variant, or a second file")
	}
	return true, nil
}
