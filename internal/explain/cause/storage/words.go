package storage

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// BlockGave returns the sentence about storage experiments: the highest rate and the shortest request time of each
// storage. Empty: there are none.
func BlockGave(r *record.Run) string {
	type most struct {
		bytes, iops, quick *record.Experiment
	}
	var order []string
	of := map[string]*most{}
	for _, e := range r.Experiments {
		if e.Block == nil || e.Bytes == nil || e.IOPS == nil {
			continue
		}
		key := e.Path()
		if of[key] == nil {
			of[key] = &most{}
			order = append(order, key)
		}
		m := of[key]
		if m.bytes == nil || e.Bytes.Median > m.bytes.Bytes.Median {
			m.bytes = e
		}
		if m.iops == nil || e.IOPS.Median > m.iops.IOPS.Median {
			m.iops = e
		}
		if e.Latency != nil && e.Latency.P50 > 0 && (m.quick == nil || e.Latency.P50 < m.quick.Latency.P50) {
			m.quick = e
		}
	}
	const shown = 3
	var out []string
	for i, key := range order {
		if i == shown {
			out = append(out, fmt.Sprintf("%d more are below.", len(order)-shown))
			break
		}
		m := of[key]
		text := fmt.Sprintf("%s: at most %s (%s)", key, unit.BytesPerSecond(m.bytes.Bytes.Median), loadOf(m.bytes))
		if m.iops != m.bytes {
			text += fmt.Sprintf(" and %s IOPS (%s)", unit.Count(m.iops.IOPS.Median), loadOf(m.iops))
		}
		if m.quick != nil {
			text += fmt.Sprintf("; half of the requests took at most %s (%s)", unit.Seconds(m.quick.Latency.P50),
				loadOf(m.quick))
		}
		out = append(out, text+".")
	}
	return strings.Join(out, " ")
}

// loadOf describes the load of a storage combination in a few words.
func loadOf(e *record.Experiment) string {
	var words []string
	if load := e.Settings["load"]; load != "" {
		words = append(words, load)
	} else {
		for _, k := range []string{"access", "size"} {
			if v := e.Settings[k]; v != "" {
				words = append(words, v)
			}
		}
		for _, k := range []string{"depth", "threads"} {
			if v := e.Settings[k]; v != "" {
				words = append(words, k+" "+v)
			}
		}
	}
	switch read := e.Settings["read"]; {
	case read == "" && strings.Contains(e.Settings["load"], ":"): // the load itself has its share of reads
	case read == "", read == "100%":
		words = append(words, "read")
	case read == "0%":
		words = append(words, "written")
	default:
		words = append(words, read+" read")
	}
	return strings.Join(words, ", ")
}

// BlockOf reports whether an experiment is one of block.
func BlockOf(r *record.Run, name string) bool {
	return slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
		return e.Name == name &&
			method.Named(e.Method).Stores
	})
}
