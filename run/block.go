package run

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linerate/block"
	"linerate/fabric"
	"linerate/plan"
	"linerate/result"
	"linerate/unit"
)

// Block is the method that reads and writes blocks of storage.
const Block = result.MethodBlock

// blockCell is what a cell of block has in place of a path.
type blockCell struct {
	workers []blockWorker
	stores  []string // hosts that have the storage, and no worker
	job     block.Job
	pause   time.Duration
	locals  map[string]netip.Addr // planned addresses of hosts whose interfaces are counted
}

// blockWorker is a host that asks, and what it calls the storage.
type blockWorker struct {
	host, target string
	destroy      string // DEVICE=SERIAL of this target; empty: it was not named
}

// hosts are all that take part.
func (b *blockCell) hosts() (all []string) {
	for _, w := range b.workers {
		all = once(all, w.host)
	}
	return append(all, b.stores...)
}

// blocks expands an experiment of block: a cell for every combination of values, and of a profile for each of its loads.
func blocks(p *plan.Plan, e *fabric.Experiment, o Options) []*Cell {
	all, repeat, why := profiled(product(e.Axes), e)
	if why != "" {
		return []*Cell{unmeasured(p, e, why)}
	}
	var cells []*Cell
	for _, settings := range all {
		maps.Copy(settings, o.Settings)
		b := &blockCell{}
		c := &Cell{Samples: DefaultSamples, Window: settings["time"], Repeat: repeats(e, o), block: b}
		if repeat > 0 && o.Repeats == 0 && e.Repeats == 0 {
			c.Repeat = repeat
		}
		delete(settings, "time")
		x := &result.Experiment{Name: e.Name, Method: Block, Direction: "out", Variant: p.Variant, Settings: settings}
		c.Exp = x
		var err error
		b.job, err = blockJob(settings)
		if text := settings["pause"]; text != "" {
			b.pause, _ = unit.ParseDuration(text) // read before
		}
		x.NotRun = cmp.Or(unsupported(e, settings, o), b.choose(p, e, x, settings["transport"], o))
		if err != nil && x.NotRun == "" {
			x.NotRun = err.Error()
		}
		x.ID = result.ExperimentID(x)
		cells = append(cells, c)
	}
	return cells
}

// choose finds who asks and what it calls the storage, or says why that is not known.
func (b *blockCell) choose(p *plan.Plan, e *fabric.Experiment, x *result.Experiment, transport string, o Options) string {
	if len(e.To) == 0 {
		return "it names no storage; write to: HOST.DRIVE"
	}
	asking := e.From
	if len(asking) == 0 {
		for _, to := range e.To {
			asking = append(asking, hostOf(to))
		}
	}
	x.From, x.To = fabric.Compact(slices.Clone(asking)), fabric.Compact(slices.Clone(e.To))
	for i, from := range asking {
		to := e.To[i%len(e.To)]
		host := hostOf(from)
		target, stores, why := storage(p, host, to, transport)
		if why != "" {
			return why
		}
		b.workers = append(b.workers, blockWorker{host: host, target: target})
		for _, s := range stores {
			if !slices.Contains(b.stores, s) {
				b.stores = append(b.stores, s)
			}
		}
		x.Ends = append(x.Ends, result.End{Host: host})
	}
	b.stores = slices.DeleteFunc(b.stores, func(s string) bool {
		return slices.ContainsFunc(b.workers, func(w blockWorker) bool { return w.host == s })
	})
	for i := range b.workers {
		for _, text := range o.Destroy {
			if at := strings.LastIndex(text, "="); at > 0 && text[:at] == b.workers[i].target && b.job.Read < 1 {
				b.workers[i].destroy = text
			}
		}
	}
	b.network(p, x)
	return ""
}

// storage is what a host calls a drive or a volume, and the hosts that have it.
func storage(p *plan.Plan, host, to, transport string) (target string, stores []string, why string) {
	for _, v := range p.Fabric.Volumes {
		if v.Name != to {
			continue
		}
		for _, of := range v.Of {
			stores = once(stores, hostOf(of))
		}
		if path := v.Extra["path"]; path != "" {
			return path, stores, ""
		}
		return "", nil, fmt.Sprintf("volume %s has no path: where the hosts see it is not known; write path: FOLDER", to)
	}
	owner := hostOf(to)
	if owner == to {
		return "", nil, fmt.Sprintf("%s is a host, and block needs storage; write to: %s.DRIVE", to, to)
	}
	var drive *fabric.Drive
	if h := p.Host(owner); h != nil && h.Decl != nil {
		for _, d := range h.Decl.Drives {
			if owner+"."+d.Name == to {
				drive = d
			}
		}
	}
	switch {
	case drive == nil:
		return "", nil, fmt.Sprintf("%s is no drive of the file", to)
	case owner == host && (transport == "" || transport == "local"):
		if drive.Path == "" {
			return "", nil, fmt.Sprintf("%s has no path: what of it may be used is not known; write path: FOLDER (or a file or device of %s) under drives", to, owner)
		}
		return drive.Path, []string{owner}, ""
	case drive.Mounts[host] != "":
		return drive.Mounts[host], []string{owner}, ""
	}
	return "", nil, fmt.Sprintf("where %s sees %s is not known; mount it there, and write mounts: {%s: PATH} under drives", host, to, host)
}

// network finds the planned ports between those that ask and those that store, to count what crosses them.
func (b *blockCell) network(p *plan.Plan, x *result.Experiment) {
	b.locals = map[string]netip.Addr{}
	for _, w := range b.workers {
		for _, s := range b.stores {
			path, why := between(p, w.host, s, nil)
			if why != "" {
				continue // it is counted nowhere, and the record says so by leaving it out
			}
			b.locals[w.host], b.locals[s] = path.FromPort.Address.Addr(), path.ToPort.Address.Addr()
			for _, l := range path.Links {
				if !slices.Contains(x.Links, l.Name) {
					x.Links = append(x.Links, l.Name)
				}
			}
		}
	}
}
