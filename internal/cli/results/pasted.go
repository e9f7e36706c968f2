package results

import (
	"fmt"
	"path/filepath"

	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// PastedFlags name outputs of switches that a user saved before and after a run, because linerate has no connection to
// them.
type PastedFlags struct{ Before, After string }

// read returns the files of a run folder, with the saved outputs in place of the switches' snapshots from before and
// after its experiment. Errors of the folders go to wrong.
func (f PastedFlags) read(o *runfolder.Opened, p *plan.Plan, wrong *cli.Errors) func(name string) ([]byte, error) {
	if f.Before == "" && f.After == "" {
		return o.Read
	}
	for _, x := range []struct{ have, flag, other, folder string }{
		{f.Before, "before", "after", f.After},
		{f.After, "after", "before", f.Before},
	} {
		if x.have == "" {
			wrong.Add(cli.Advise(
				fmt.Errorf("--%s %s: what the switches' counters were %s it is missing", x.other, x.folder, x.flag),
				fmt.Sprintf("give that, too: --%s DIR", x.flag)))
		}
	}
	of := xslices.Filter(o.Run.Experiments, func(e *record.Experiment) bool { return len(e.Repeats) > 0 })
	if len(of) != 1 {
		wrong.Add(cli.Advise(
			fmt.Errorf("--before, --after: the run has %d measured experiments, and what was pasted is "+
				"around all of them", len(of)),
			"run one alone (run --experiments NAME with one path, or measure)"))
		return o.Read
	}
	kept := map[string][]byte{}
	for _, x := range []struct{ flag, dir, when string }{
		{"before", f.Before, record.Before},
		{"after", f.After, record.After},
	} {
		if x.dir == "" {
			continue
		}
		files, stray, err := inventory.KeptFiles(x.dir)
		if err != nil {
			wrong.Add(fmt.Errorf("--%s: %w", x.flag, err))
			continue
		}
		for _, s := range stray {
			wrong.Add(fmt.Errorf("--%s: %s: %s", x.flag, s.Subject, s.Reason))
		}
		for _, file := range files {
			name := inventory.KeptName(p, filepath.Base(file))
			if p.Switch(name) == nil {
				wrong.Add(cli.Advise(fmt.Errorf("--%s: %s: the fabric has no switch %s", x.flag, file, cli.Clean(name))).
					Note("a snapshot is named SWITCH.txtar, a folder with what was pasted SWITCH"))
				continue
			}
			text, notRead, err := inventory.KeptText(file, name)
			if err != nil {
				wrong.Add(fmt.Errorf("--%s: %s: %w", x.flag, file, err))
			}
			for _, u := range notRead {
				wrong.Add(fmt.Errorf("--%s: %s: %s", x.flag, u.Subject, u.Reason))
			}
			kept[runfolder.SnapshotName(name, record.At(x.when, of[0].ID))] = text
		}
	}
	return func(name string) ([]byte, error) {
		if text, ok := kept[name]; ok {
			return text, nil
		}
		return o.Read(name)
	}
}
