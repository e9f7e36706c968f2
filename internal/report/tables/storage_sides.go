package tables

import (
	"strconv"

	"linerate/internal/record"
	"linerate/internal/report/format"
)

// sharedLoads is the number of common named loads from which on two experiments are shown side by side.
const sharedLoads = 2

// StorageSides puts storage experiments with the same named loads side by side: a row for each load and share of reads,
// a column for each experiment. It compares a drive with access over a virtual function and over the network. All
// figures are bytes per second in one unit.
func StorageSides(r *record.Run) (out []BlockTable) {
	type side struct {
		name    string
		figures map[[2]string]*record.Experiment
	}
	var variants []string
	of := map[string][]*side{}
	var rows [][2]string // load and share of reads
	loads := map[string]bool{}
	for _, e := range r.Experiments {
		load := e.Settings["load"]
		if e.Block == nil || e.Bytes == nil || load == "" {
			continue
		}
		if of[e.Variant] == nil {
			variants = append(variants, e.Variant)
		}
		var s *side
		for _, x := range of[e.Variant] {
			if x.name == e.Name {
				s = x
			}
		}
		if s == nil {
			s = &side{format.Clean(e.Name), map[[2]string]*record.Experiment{}}
			of[e.Variant] = append(of[e.Variant], s)
		}
		k := [2]string{load, e.Settings["read"]}
		if s.figures[k] == nil {
			s.figures[k] = e
		}
		if !loads[load+" "+k[1]] {
			loads[load+" "+k[1]] = true
			rows = append(rows, k)
		}
	}
	for _, v := range variants {
		var sides []*side
		for _, s := range of[v] {
			for _, other := range of[v] {
				n := 0
				for k := range s.figures {
					if other.figures[k] != nil {
						n++
					}
				}
				if other != s && n >= sharedLoads {
					sides = append(sides, s)
					break
				}
			}
		}
		if len(sides) < 2 {
			continue
		}
		t := BlockTable{Title: "side by side, MB/s", Headers: []string{"load", "read"}}
		if v != "" {
			t.Title += " [" + format.Clean(v) + "]"
		}
		for _, s := range sides {
			t.Headers = append(t.Headers, s.name)
		}
		for _, k := range rows {
			row := []string{format.Clean(k[0]), format.Clean(k[1])}
			any := false
			for _, s := range sides {
				text := "not measured"
				if e := s.figures[k]; e != nil {
					text, any = megabytes(e.Bytes.Median), true
				}
				row = append(row, text)
			}
			if any {
				t.Rows = append(t.Rows, row)
			}
		}
		for _, s := range sides {
			for _, k := range rows {
				if e := s.figures[k]; e != nil {
					t.Said = append(t.Said, s.name+": "+format.Clean(e.Path()))
					break
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// megabytes formats a figure in units of 1,000,000 bytes, to three digits at least.
func megabytes(perSecond float64) string {
	v := perSecond / 1e6
	decimals := 0
	for limit := 100.0; v < limit && decimals < 2; limit /= 10 {
		decimals++
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
