package summary

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// cardLoad says whether an experiment of block is a row of a card: reads or writes alone, of a load that CrystalDiskMark's users know.
func cardLoad(e *record.Experiment) bool {
	read := cmp.Or(e.Settings["read"], "100%")
	return (read == "100%" || read == "0%") && e.Settings["rate"] == "" && e.Settings["think"] == "" &&
		hasRow(e.Settings["load"])
}

// storages are the drives and shares of a sheet, in the order of the run.
func (s *sheet) storages() []Storage {
	out := []Storage{}
	type target struct{ name, from, to, transport, conditions string }
	var order []target
	of := map[target][]*record.Experiment{}
	for _, e := range s.all {
		if e.Method != record.MethodBlock {
			continue
		}
		k := target{e.Name, e.From, e.To, e.Settings["transport"], conditions(e)}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], e)
	}
	for _, k := range order {
		if x, ok := s.storage(of[k]); ok {
			out = append(out, x)
		}
	}
	return out
}

// storage is one target's rows; false: none of them was measured.
func (s *sheet) storage(all []*record.Experiment) (Storage, bool) {
	e := all[0]
	out := Storage{AskedBy: "A", Rows: []Row{}}
	if len(s.hosts) == 2 && e.From == s.hosts[1] {
		out.AskedBy = "B"
	}
	// The profile of which most was measured; of an even number the default one.
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

// storageCores is how many cores of a host were busy in a repeat; nil: not known.
func storageCores(b Block, host string) *float64 {
	for _, h := range b.Repeat.Block.Hosts {
		if h.Host == host && h.Cores != nil {
			return ptr(*h.Cores)
		}
	}
	return nil
}

// describe says what was asked, and how.
func (s *sheet) describe(out *Storage, e *record.Experiment, b Block) {
	out.Name, out.Over, out.Repeats, out.Window = e.To, e.Settings["transport"], len(e.Repeats), e.InEffect["window"]
	workers := b.Repeat.Block.Workers
	if len(workers) == 0 && e.Block != nil { // the short form of a page has them there alone
		workers = e.Block.Workers
	}
	if len(workers) == 0 {
		return
	}
	w := workers[0]
	if w.Span > 0 {
		out.Span = unit.Bytes(w.Span).String()
	}
	if s.run.FabricText == "" { // nobody named it
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
	case out.Over == "": // a share that is mounted: its file system is the protocol (nfs4, cifs)
		out.Over = w.FileSystem
	}
	if x := w.Export; x != nil && !x.Kernel {
		out.Over += " by programs"
	}
}

// conditions are those of storage that make another figure of a load of the same name; empty: as CrystalDiskMark has them.
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
