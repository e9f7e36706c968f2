package summary

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// summaryLoad reports whether an experiment of storage is a row of a summary: only reads or only writes, with a load of
// CrystalDiskMark.
func summaryLoad(e *record.Experiment) bool {
	read := cmp.Or(e.Settings["read"], "100%")
	return (read == "100%" || read == "0%") && e.Settings["limit"] == "" && e.Settings["think"] == "" &&
		hasRow(e.Settings["load"])
}

// storages returns the drives and shares of a sheet, in the order of the run.
func (s *sheet) storages() []Storage {
	out := []Storage{}
	stored := slices.DeleteFunc(slices.Clone(s.all),
		func(e *record.Experiment) bool { return !method.Named(e.Method).Stores })
	for _, g := range format.Groups(stored, func(e *record.Experiment) [5]string {
		return [5]string{e.Name, e.From, e.To, e.Transport(), conditions(e)}
	}) {
		if x, ok := s.storage(g); ok {
			out = append(out, x)
		}
	}
	return out
}

// storage returns the rows of one target; false: none of them was measured.
func (s *sheet) storage(all []*record.Experiment) (Storage, bool) {
	e := all[0]
	out := Storage{AskedBy: "A", Rows: []Row{}}
	if len(s.hosts) == 2 && e.From == s.hosts[1] {
		out.AskedBy = "B"
	}
	// This is the profile with most measured rows, and the default one among equals.
	best, most := loads[0], 0
	for _, l := range loads {
		n := 0
		for _, e := range all {
			if _, ok := Best(e); ok && slices.Contains(l, e.Settings["load"]) {
				n++
			}
		}
		if n > most {
			best, most = l, n
		}
	}
	first := true
	for _, op := range []string{"read", "write"} {
		for _, load := range best {
			row := Row{Key: StorageKey(op, load)}
			for _, e := range all {
				read := map[string]string{"read": "100%", "write": "0%"}[op]
				if e.Settings["load"] != load || cmp.Or(e.Settings["read"], "100%") != read || row.Measured {
					continue
				}
				b, ok := Best(e)
				if !ok {
					if why := cmp.Or(e.Failed, e.NotRun); why != "" {
						s.note(Label(row.Key), NotMeasured+": "+why)
					}
					continue
				}
				s.chosen = append(s.chosen, e)
				row.Measured = true
				if c := conditions(e); c != "" {
					s.note(Label(row.Key), c)
				}
				row.BytesPerSecond, row.IOPS = &b.BytesPerSecond, &b.IOPS
				if b.Mean > 0 {
					row.Mean = &b.Mean
				}
				row.Ceiling, row.Share = against(e.Ceiling, b.BytesPerSecond*8)
				row.CoresA = storageCores(b, s.hosts[0])
				if len(s.hosts) == 2 {
					row.CoresB = storageCores(b, s.hosts[1])
				}
				if first {
					first = false
					s.describe(&out, e, b)
				}
			}
			out.Rows = append(out.Rows, row)
		}
	}
	return out, !first
}

// storageCores returns the busy cores of a host in a repeat; nil: not known.
func storageCores(b Block, host string) *float64 {
	for _, h := range b.Repeat.Block.Hosts {
		if h.Host == host && h.Cores != nil {
			return new(*h.Cores)
		}
	}
	return nil
}

// describe sets the load and its conditions.
func (s *sheet) describe(out *Storage, e *record.Experiment, b Block) {
	out.Name, out.Over, out.Repeats, out.Interval = e.To, e.Transport(), len(e.Repeats), e.InEffect["window"]
	workers := b.Repeat.Block.Workers
	if len(workers) == 0 && e.Block != nil { // the short form of a page only has them there
		workers = e.Block.Workers
	}
	if len(workers) == 0 {
		return
	}
	w := workers[0]
	if w.Span > 0 {
		out.Span = unit.Bytes(w.Span).String()
	}
	if s.run.FabricText == "" { // it has no name of its own
		out.Name = cmp.Or(w.Source, w.Target, e.To)
	}
	switch x := w.Export; {
	case x != nil && x.Instead != "":
		out.Over = x.Protocol + " instead of " + x.Instead
	case x != nil:
		out.Over = x.Protocol
	case out.Over == "" && strings.HasPrefix(w.Way, "nvme-tcp"):
		out.Over = w.Way
	case out.Over == "" && hostOf(e.To) == e.From:
		out.Over = cmp.Or(w.FileSystem, "local")
	case out.Over == "": // a mounted share: its file system is the protocol (nfs4, cifs)
		out.Over = w.FileSystem
	}
	if x := w.Export; x != nil && !x.Kernel {
		out.Over += " by programs"
	}
}

// conditions returns those of storage that change the figure of a load with the same name. They are empty for those of
// CrystalDiskMark.
func conditions(e *record.Experiment) string {
	var out []string
	for _, c := range []struct{ key, value, says string }{
		{"cache", "through", "through the system's cache (cache: through)"},
		{"sync", "true", "every write is on the medium before it is answered (sync: true)"},
		{"verify", "true", "every block is looked at (verify: true)"},
	} {
		if e.Settings[c.key] == c.value {
			out = append(out, c.says)
		}
	}
	return strings.Join(out, ", ")
}

// Block is one row of storage as in CrystalDiskMark: the repeat with most bytes per second.
type Block struct {
	BytesPerSecond, IOPS float64
	Mean                 float64 // seconds of a request; 0: not known
	Repeat               *record.Repeat
}

// Best returns the best repeat of an experiment of storage; false: it has none.
func Best(e *record.Experiment) (out Block, ok bool) {
	for i := range e.Repeats {
		r := &e.Repeats[i]
		if r.Block == nil {
			continue
		}
		v, n := 0.0, 0.0
		for _, k := range []*record.BlockCount{r.Block.Read, r.Block.Write} {
			if k != nil {
				v, n = v+k.BytesPerSecond, n+k.IOPS
			}
		}
		if ok && v <= out.BytesPerSecond {
			continue
		}
		out, ok = Block{BytesPerSecond: v, IOPS: n, Repeat: r}, true
		if n > 0 {
			out.Mean = r.Block.Depth / n // Little's law: requests in flight over requests per second
		}
	}
	return out, ok
}
