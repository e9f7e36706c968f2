package report

import (
	"strings"

	"linerate/internal/record"
)

// gathered is the experiments that stand in one table: those of one name, path and variant.
type gathered struct {
	title string
	all   []*record.Experiment
	keys  []string // settings in which those of its name differ
}

// gather puts the experiments that a table can show together, in the order of the run. Between stands between a title's name and path.
func gather(r *record.Run, between string, shows func(*record.Experiment) bool) (out []gathered) {
	varying := varyingKeys(r.Experiments)
	at := map[string]int{}
	for _, e := range r.Experiments {
		if !shows(e) {
			continue
		}
		title := clean(e.Name) + between + clean(e.Path())
		if e.Variant != "" {
			title += " [" + clean(e.Variant) + "]"
		}
		i, ok := at[title]
		if !ok {
			i = len(out)
			at[title] = i
			out = append(out, gathered{title: title, keys: varying[e.Name]})
		}
		out[i].all = append(out[i].all, e)
	}
	return out
}

// settingHeads are the heads of the columns of settings.
func settingHeads(keys []string) (out []string) {
	for _, k := range keys {
		out = append(out, strings.ReplaceAll(clean(k), "_", " "))
	}
	return out
}

// settingCells are the columns of settings of one experiment.
func settingCells(e *record.Experiment, keys []string) (out []string) {
	for _, k := range keys {
		out = append(out, clean(e.Settings[k]))
	}
	return out
}
