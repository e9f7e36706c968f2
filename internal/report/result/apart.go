package result

import (
	"slices"
	"strings"

	"linerate/internal/record"
	"linerate/internal/report/format"
)

// Apart returns, for rows that would look equal, the words that tell one from the other: the settings in which they
// differ, else the variant, else the experiment's name. A row stands for one or several experiments; of several only
// the settings that all of them have count.
func Apart(rows [][]*record.Experiment) []string {
	out := make([]string, len(rows))
	for _, words := range []func(*record.Experiment) map[string]string{
		func(e *record.Experiment) map[string]string { return e.Settings },
		func(e *record.Experiment) map[string]string { return map[string]string{"variant": e.Variant} },
		func(e *record.Experiment) map[string]string { return map[string]string{"name": e.Name} },
	} {
		if distinct(out) {
			break
		}
		each := make([]map[string]string, len(rows))
		for i, all := range rows {
			each[i] = common(all, words)
		}
		for _, k := range differing(each) {
			for i := range rows {
				v := each[i][k]
				switch {
				case v == "":
					continue
				case k == "name":
					v = format.Clean(v)
				default:
					v = SettingWord(k, v)
				}
				out[i] = strings.TrimPrefix(out[i]+", "+v, ", ")
			}
		}
	}
	return out
}

func distinct(words []string) bool {
	sorted := slices.Sorted(slices.Values(words))
	return len(slices.Compact(sorted)) == len(words)
}

// common returns what all experiments of a row have.
func common(all []*record.Experiment, words func(*record.Experiment) map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range words(all[0]) {
		if !slices.ContainsFunc(all, func(e *record.Experiment) bool { return words(e)[k] != v }) {
			out[k] = v
		}
	}
	return out
}

// differing returns the keys with different values, in order. To have none is a value, too.
func differing(rows []map[string]string) (out []string) {
	for _, row := range rows {
		for k, v := range row {
			if !slices.Contains(out, k) &&
				slices.ContainsFunc(rows, func(m map[string]string) bool { return !SameValue(m[k], v) }) {
				out = append(out, k)
			}
		}
	}
	slices.Sort(out)
	return out
}
