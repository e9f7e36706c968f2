package result

import (
	"strings"

	"linerate/internal/record"
	"linerate/internal/report/format"
)

// Table has the experiments of one table: those with one name, path and variant.
type Table struct {
	Title string
	All   []*record.Experiment
	Keys  []string // settings in which experiments of its name differ
}

// Tables groups the experiments that a table can show, in the order of the run. between separates a title's name and
// path.
func Tables(r *record.Run, between string, shows func(*record.Experiment) bool) (out []Table) {
	varying := VaryingKeys(r.Experiments)
	at := map[string]int{}
	for _, e := range r.Experiments {
		if !shows(e) {
			continue
		}
		title := format.Clean(e.Name) + between + format.Clean(e.Path())
		if e.Variant != "" {
			title += " [" + format.Clean(e.Variant) + "]"
		}
		i, ok := at[title]
		if !ok {
			i = len(out)
			at[title] = i
			out = append(out, Table{Title: title, Keys: varying[e.Name]})
		}
		out[i].All = append(out[i].All, e)
	}
	return out
}

// SettingHeaders returns the headers of the columns of settings.
func SettingHeaders(keys []string) (out []string) {
	for _, k := range keys {
		out = append(out, strings.ReplaceAll(format.Clean(k), "_", " "))
	}
	return out
}

// SettingValues returns the columns of settings of one experiment.
func SettingValues(e *record.Experiment, keys []string) (out []string) {
	for _, k := range keys {
		out = append(out, format.Clean(e.Settings[k]))
	}
	return out
}

// Exchange returns the time of one halo exchange.
func Exchange(r record.Repeat) float64 {
	if r.Halo == nil {
		return 0
	}
	return r.Halo.Seconds
}

// Cost returns the CPU time of the measuring processes of both ends, in seconds per gigabit. It is 0 if it is not known
// for an end.
func Cost(r record.Repeat) float64 {
	used, ends := 0.0, 0
	for _, c := range r.CPU {
		if c.Core == -1 {
			used += c.User + c.System
			ends += 1 + strings.Count(c.Host, "+")
		}
	}
	if ends < 2 || r.Goodput <= 0 {
		return 0
	}
	return used / (r.Goodput / 1e9)
}

// RepeatIOPS returns the requests per second of a repeat of storage, reads and writes together.
func RepeatIOPS(p record.Repeat) float64 {
	return readAndWritten(p, func(c *record.BlockCount) float64 { return c.IOPS })
}

// RepeatBytes returns the bytes per second of a repeat of storage, read and written together.
func RepeatBytes(p record.Repeat) float64 {
	return readAndWritten(p, func(c *record.BlockCount) float64 { return c.BytesPerSecond })
}

func readAndWritten(p record.Repeat, of func(*record.BlockCount) float64) (sum float64) {
	if p.Block == nil {
		return 0
	}
	for _, c := range []*record.BlockCount{p.Block.Read, p.Block.Write} {
		if c != nil {
			sum += of(c)
		}
	}
	return sum
}

// IOPSPerPercent returns the requests per second for each percent of the clients' CPU time.
func IOPSPerPercent(p record.Repeat) float64 { return perPercent(p).IOPS }

// AskingPercent returns the CPU time of the clients, in percent of their cores.
func AskingPercent(p record.Repeat) float64 { return perPercent(p).Percent }

func perPercent(p record.Repeat) record.WorkPerPercent {
	if p.Block == nil || p.Block.PerPercentAsking == nil {
		return record.WorkPerPercent{}
	}
	return *p.Block.PerPercentAsking
}
