package run

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linerate/agent"
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
	places  map[string][]string   // what of a host has the storage: paths
	locals  map[string]netip.Addr // planned addresses of hosts whose interfaces are counted
	paths   []plan.Path           // from workers to storage
	drive   *fabric.Drive         // that is asked, where it is one; nil: several, or a volume
}

// blockWorker is a host that asks, and what it calls the storage.
type blockWorker struct {
	host, target string
	served       *exported // nil: the host sees it by itself
	destroy      string    // DEVICE=SERIAL of this target; empty: it was not named
}

// exported is storage that its own host's agent gives out, for one other host.
type exported struct {
	owner, folder string
	name          string     // the drive: each has a file of its own
	at, peer      netip.Addr // that it listens at, and who comes
	protocol      string     // empty: the file says none
	standIn       bool       // NVMe/TCP stands in where a host lacks something: in a lab
}

// StandsIn says whether the cell needs nothing of its hosts for its protocol of storage: programs give it out, or NVMe/TCP, or for a copy HTTP, stands in for it.
func (c *Cell) StandsIn() bool {
	if c.copy != nil {
		return c.copy.lab
	}
	return c.block != nil && slices.ContainsFunc(c.block.workers, func(w blockWorker) bool { return w.served != nil })
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
		if o.Lab { // whose drive needs no rest, and has no cache to be filled
			b.job.Span, b.job.Warmup, b.pause = min(cmp.Or(b.job.Span, labSpan), labSpan), min(b.job.Warmup, labBlockWarmup), 0
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
		target, served, stores, why := storage(p, host, to, transport, o.Lab)
		if served != nil && why == "" {
			why = b.fits(driveOf(p, served.owner+"."+served.name), x.Settings["span"])
		}
		if why != "" {
			return why
		}
		b.workers = append(b.workers, blockWorker{host: host, target: target, served: served})
		b.placed(p, to)
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
	if len(b.workers) == 1 {
		b.drive = driveOf(p, e.To[0])
	}
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

// placed notes where on its hosts a drive or a volume lies, as far as the file says it.
func (b *blockCell) placed(p *plan.Plan, to string) {
	of := []string{to}
	for _, v := range p.Fabric.Volumes {
		if v.Name == to {
			of = v.Of
		}
	}
	for _, name := range of {
		d := driveOf(p, name)
		if d == nil || d.Path == "" || slices.Contains(b.places[hostOf(name)], d.Path) {
			continue
		}
		if b.places == nil {
			b.places = map[string][]string{}
		}
		b.places[hostOf(name)] = append(b.places[hostOf(name)], d.Path)
	}
}

const (
	// labSpan is the most that a file of a lab has: all its hosts are one machine.
	labSpan = 256 * unit.MiB
	// labBlockWarmup is the longest that storage of a lab is warmed up.
	labBlockWarmup = warmup
)

// storage is what a host calls a drive or a volume, and the hosts that have it; or served, where the drive's own host gives it out for this.
func storage(p *plan.Plan, host, to, transport string, lab bool) (target string, served *exported, stores []string, why string) {
	for _, v := range p.Fabric.Volumes {
		if v.Name != to {
			continue
		}
		for _, of := range v.Of {
			stores = once(stores, hostOf(of))
		}
		if path := v.Extra["path"]; path != "" {
			return path, nil, stores, ""
		}
		return "", nil, nil, fmt.Sprintf("volume %s has no path: where the hosts see it is not known; write path: FOLDER", to)
	}
	owner := hostOf(to)
	if owner == to {
		return "", nil, nil, fmt.Sprintf("%s is a host, and block needs storage; write to: %s.DRIVE", to, to)
	}
	drive := driveOf(p, to)
	if drive == nil {
		return "", nil, nil, fmt.Sprintf("%s is no drive of the file", to)
	}
	folder := drive.Path
	if lab {
		folder = agent.TemporaryFolder // what the file names is of other hosts
	}
	local := owner == host && (transport == "" || transport == "local")
	switch {
	case local && folder == "":
		return "", nil, nil, fmt.Sprintf("%s has no path: what of it may be used is not known; write path: FOLDER (or a file or device of %s) under drives", to, owner)
	case local:
		return folder, nil, []string{owner}, ""
	case !lab && drive.Mounts[host] != "":
		return drive.Mounts[host], nil, []string{owner}, ""
	case owner == host:
		return "", nil, nil, fmt.Sprintf("%s is on %s itself, and %s goes from one host to another; write transport: local", to, host, transport)
	case lab || exportable(drive.Export) && (transport == "" || transport == drive.Export) && folder != "":
		path, why := between(p, host, owner, nil)
		if why != "" {
			return "", nil, nil, why
		}
		served = &exported{owner: owner, folder: folder, name: drive.Name, at: path.ToPort.Address.Addr(), peer: path.FromPort.Address.Addr(), protocol: cmp.Or(transport, drive.Export), standIn: lab}
		return "", served, []string{owner}, ""
	}
	return "", nil, nil, fmt.Sprintf("where %s sees %s is not known; mount it there, and write mounts: {%s: PATH} under drives", host, to, host)
}

// exportable says whether linerate gives a drive out by a protocol on hosts that are no lab's: by programs that it starts and ends, without changing what a kernel has.
func exportable(protocol string) bool {
	return slices.Contains([]string{"nvme-tcp", "iscsi", "nbd"}, protocol)
}

// fits makes the span that of a drive that is given out with a size of its own, or says that it is larger. Asked is the span as the file has it; empty: it has none.
func (b *blockCell) fits(d *fabric.Drive, asked string) string {
	if d == nil || d.Size == 0 {
		return ""
	}
	if span, err := unit.ParseBytes(asked); err == nil && span > d.Size {
		return fmt.Sprintf("span %v is more than the size of %s, %v; lower span, or make size larger", span, d.Name, d.Size)
	}
	if b.job.Span == 0 || b.job.Span > d.Size {
		b.job.Span = d.Size
	}
	return ""
}

// driveOf is the drive of a name such as nas.tank; nil: there is none.
func driveOf(p *plan.Plan, name string) *fabric.Drive {
	owner := hostOf(name)
	if h := p.Host(owner); h != nil && h.Decl != nil {
		for _, d := range h.Decl.Drives {
			if owner+"."+d.Name == name {
				return d
			}
		}
	}
	return nil
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
			b.paths = append(b.paths, path)
			b.locals[w.host], b.locals[s] = path.FromPort.Address.Addr(), path.ToPort.Address.Addr()
			for _, l := range path.Links {
				if !slices.Contains(x.Links, l.Name) {
					x.Links = append(x.Links, l.Name)
				}
			}
		}
	}
}
