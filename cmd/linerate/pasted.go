package main

import (
	"fmt"
	"path/filepath"

	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// pastedFlags name what somebody had switches print before and after a run, because linerate does not reach them.
type pastedFlags struct{ before, after string }

// read gives the files of a run folder, and in place of the switches' captures around its experiment what was pasted. What is wrong with the
// folders goes to wrong.
func (f pastedFlags) read(o *runfolder.Opened, p *plan.Plan, wrong *mistakes) func(name string) ([]byte, error) {
	if f.before == "" && f.after == "" {
		return o.Read
	}
	for _, x := range []struct{ have, flag, other, folder string }{{f.before, "before", "after", f.after}, {f.after, "after", "before", f.before}} {
		if x.have == "" {
			wrong.add(fmt.Errorf("--%s %s: what the switches' counters were %s it is missing; give that, too: --%s DIR", x.other, x.folder, x.flag, x.flag))
		}
	}
	var of []*record.Experiment
	for _, e := range o.Run.Experiments {
		if len(e.Repeats) > 0 {
			of = append(of, e)
		}
	}
	if len(of) != 1 {
		wrong.add(fmt.Errorf("--before, --after: the run has %d measured experiments, and what was pasted is around all of them; run one alone (run --only NAME with one path, or measure)", len(of)))
		return o.Read
	}
	kept := map[string][]byte{}
	for _, x := range []struct{ flag, dir, when string }{{"before", f.before, record.Before}, {"after", f.after, record.After}} {
		if x.dir == "" {
			continue
		}
		files, stray, err := keptFiles(x.dir)
		if err != nil {
			wrong.add(fmt.Errorf("--%s: %w", x.flag, err))
			continue
		}
		for _, s := range stray {
			wrong.add(fmt.Errorf("--%s: %s: %s", x.flag, s.Subject, s.Reason))
		}
		for _, file := range files {
			name := captured(p, filepath.Base(file))
			if p.Switch(name) == nil {
				wrong.add(fmt.Errorf("--%s: %s: the fabric has no switch %s; a capture is named SWITCH.txtar, a folder with what was pasted SWITCH", x.flag, file, clean(name)))
				continue
			}
			text, notRead, err := keptText(file, name)
			if err != nil {
				wrong.add(fmt.Errorf("--%s: %s: %w", x.flag, file, err))
			}
			for _, u := range notRead {
				wrong.add(fmt.Errorf("--%s: %s: %s", x.flag, u.Subject, u.Reason))
			}
			kept[runfolder.CaptureName(name, record.At(x.when, of[0].ID))] = text
		}
	}
	return func(name string) ([]byte, error) {
		if text, ok := kept[name]; ok {
			return text, nil
		}
		return o.Read(name)
	}
}
