package report

import (
	"strconv"

	"linerate/internal/record"
)

// sharedLoads is how many named loads two experiments have in common before they are shown side by side.
const sharedLoads = 2

// storageSides puts experiments of block beside one another that asked for the same named loads: a row a load and share of reads, a column an experiment, as those show it
// who compare a drive with what arrives of it over a virtual function and over the network. All cells are bytes a second in one unit.
func storageSides(r *record.Run) (out []blockTable) {
	type side struct {
		name  string
		cells map[[2]string]*record.Experiment
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
			s = &side{clean(e.Name), map[[2]string]*record.Experiment{}}
			of[e.Variant] = append(of[e.Variant], s)
		}
		k := [2]string{load, e.Settings["read"]}
		if s.cells[k] == nil {
			s.cells[k] = e
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
				for k := range s.cells {
					if other.cells[k] != nil {
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
		t := blockTable{Title: "side by side, MB/s", Heads: []string{"load", "read"}}
		if v != "" {
			t.Title += " [" + clean(v) + "]"
		}
		for _, s := range sides {
			t.Heads = append(t.Heads, s.name)
		}
		for _, k := range rows {
			row := []string{clean(k[0]), clean(k[1])}
			any := false
			for _, s := range sides {
				text := "not measured"
				if e := s.cells[k]; e != nil {
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
				if e := s.cells[k]; e != nil {
					t.Said = append(t.Said, s.name+": "+clean(e.Path()))
					break
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// megabytes is a figure in units of 1,000,000 bytes, to three digits at least.
func megabytes(perSecond float64) string {
	v := perSecond / 1e6
	decimals := 0
	for limit := 100.0; v < limit && decimals < 2; limit /= 10 {
		decimals++
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
