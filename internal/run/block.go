package run

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/storage/block"
)

// Block is the method that reads and writes blocks of storage.
const Block = record.MethodBlock

// blockCell is what a cell of block has in place of a path.
type blockCell struct {
	workers []blockWorker
	stores  []string // hosts that have the storage, and no worker
	owners  []string // all that have it
	job     block.Job
	parts   []fabric.BlockPart // loads that each host has at once; nil: that of job alone
	pause   time.Duration
	places  map[string][]string     // what of a host has the storage: paths
	locals  map[string][]netip.Addr // planned addresses of hosts whose interfaces are counted
	paths   []plan.Path             // from workers to storage
	drive   *fabric.Drive           // that is asked, where it is one; nil: several, or a volume
	targets int                     // that are asked: drives, volumes
	volume  string                  // that the lab makes for this; empty: none
	once    int                     // cells of the experiment, where there are so many that a lab measures each once; 0: it does not
}

// blockWorker is a host that asks, and what it calls the storage. A host that asks several targets is one worker for each of them.
type blockWorker struct {
	host, target string
	of           string    // the drive or volume, as the file names it
	part         int       // of the loads that its host has at once
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
	all, repeat, why := profiled(product(e.Axes), e, p.Fabric.Profiles)
	if why != "" {
		return []*Cell{unmeasured(p, e, why)}
	}
	var cells []*Cell
	for _, settings := range all {
		maps.Copy(settings, o.Settings)
		b := &blockCell{targets: len(slices.Compact(slices.Sorted(slices.Values(e.To))))}
		c := &Cell{Samples: DefaultSamples, Window: settings["time"], Repeat: repeats(e, o), block: b}
		switch {
		case o.Repeats > 0 || e.Repeats > 0:
		case o.Lab && len(all) > labOnce:
			c.Repeat, b.once = 1, len(all)
		case repeat > 0:
			c.Repeat = repeat
		}
		delete(settings, "time")
		x := &record.Experiment{Name: e.Name, Method: Block, Direction: "out", Variant: p.Variant, Settings: settings}
		c.Exp = x
		var err error
		b.job, err = blockJob(settings)
		if b.parts = blockParts(settings); b.parts != nil {
			sum := 0.0
			for _, part := range b.parts {
				share, _ := unit.ParsePercent(part.Read) // read before
				sum += share
			}
			b.job.Read = sum / float64(len(b.parts)) // whether there are reads, and writes; each part has its own
		}
		if text := settings["pause"]; text != "" {
			b.pause, _ = unit.ParseDuration(text) // read before
		}
		if o.Lab { // whose drive needs no rest, and has no cache to be filled
			most := labShare(b.files(p, e))
			b.job.Span, b.job.Warmup, b.pause = min(cmp.Or(b.job.Span, most), most), min(b.job.Warmup, labBlockWarmup), 0
			if b.job.Steady && c.asked() > labSteady {
				c.Window = labSteady.String()
			}
		}
		x.NotRun = cmp.Or(unsupported(e, settings, o), b.choose(p, e, x, settings["transport"], o))
		if err != nil && x.NotRun == "" {
			x.NotRun = err.Error()
		}
		x.ID = record.ExperimentID(x)
		cells = append(cells, c)
	}
	return cells
}

// choose finds who asks and what it calls the storage, or says why that is not known.
func (b *blockCell) choose(p *plan.Plan, e *fabric.Experiment, x *record.Experiment, transport string, o Options) string {
	if len(e.To) == 0 {
		return "it names no storage; write to: HOST.DRIVE"
	}
	asking := e.From
	if len(asking) == 0 {
		for _, to := range e.To {
			asking = append(asking, hostOf(cmp.Or(onlyDrive(p, to), to)))
		}
	}
	x.From, x.To = fabric.Compact(slices.Clone(asking)), fabric.Compact(slices.Clone(e.To))
	for i := range max(len(asking), len(e.To)) { // in step; the shorter list begins again
		host, to := hostOf(asking[i%len(asking)]), e.To[i%len(e.To)]
		target, served, stores, why := storage(p, host, to, transport, o.Lab)
		if served != nil && why == "" {
			why = b.fits(driveOf(p, served.owner+"."+served.name), x.Settings["span"])
		}
		if why != "" {
			return why
		}
		if target == labVolume {
			b.volume = to
		}
		b.workers = append(b.workers, blockWorker{host: host, target: target, of: to, served: served})
		for part := 1; part < len(b.parts); part++ {
			b.workers = append(b.workers, blockWorker{host: host, target: target, of: to, served: served, part: part})
		}
		b.placed(p, to)
		for _, s := range stores {
			b.stores = once(b.stores, s)
		}
		if !slices.ContainsFunc(x.Ends, func(end record.End) bool { return end.Host == host }) {
			x.Ends = append(x.Ends, record.End{Host: host})
		}
	}
	b.owners = slices.Clone(b.stores)
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
	if x.Settings["verify"] == "true" && b.job.Read < 1 {
		if why := b.together(); why != "" {
			return why
		}
	}
	b.network(p, x)
	return ""
}

// together says which storage several workers would write at once, where each holds what it reads against what it wrote itself; empty: none.
func (b *blockCell) together() string {
	seen := map[string]int{}
	for _, w := range b.workers {
		key := cmp.Or(w.of, w.host+"\x00"+w.target) // hosts may see one device by several names
		switch {
		case w.served != nil:
			key = strings.Join([]string{w.served.owner, w.served.folder, w.served.name}, "\x00")
		case !strings.HasPrefix(w.target, "/dev/") && !strings.Contains(w.target, "://"):
			continue // a file of its own
		}
		if seen[key]++; seen[key] == 2 {
			return fmt.Sprintf("verify: several workers would write the same blocks of %s, and each would find the others' data in place of its own; give each a drive of its own, let them only read (read: 100%%), or leave verify out", w.of)
		}
	}
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
	// labSpan is the most that a file of a lab has, and labSpans all files of an experiment together: all its hosts are one machine.
	labSpan, labSpans = 256 * unit.MiB, unit.GiB
	// labSteady is how long a lab waits for the steady state.
	labSteady = 15 * time.Second
	// labOnce is how many cells an experiment of a lab may have before one repeat of each has to do, where nobody says how many.
	labOnce = 24
	// labBlockWarmup is the longest that storage of a lab is warmed up.
	labBlockWarmup = warmup
)

// labShare is the most that each file of a lab has where there are so many: whole MiB, so that the largest block fits.
func labShare(files int) unit.Bytes {
	return max(8*unit.MiB, min(labSpan, labSpans/unit.Bytes(max(files, 1))/unit.MiB*unit.MiB))
}

// onlyDrive is the drive that a volume consists of; empty: it has several, or there is no such volume.
func onlyDrive(p *plan.Plan, name string) string {
	for _, v := range p.Fabric.Volumes {
		if v.Name == name && len(v.Of) == 1 {
			return v.Of[0]
		}
	}
	return ""
}

// storage is what a host calls a drive or a volume, and the hosts that have it; or served, where the drive's own host gives it out for this.
func storage(p *plan.Plan, host, to, transport string, lab bool) (target string, served *exported, stores []string, why string) {
	at := "" // the port of the drive's host at which it is given out
	for _, v := range p.Fabric.Volumes {
		if v.Name != to {
			continue
		}
		for _, of := range v.Of {
			stores = once(stores, hostOf(of))
		}
		if path := v.Extra["path"]; path != "" && !lab {
			return path, nil, stores, ""
		}
		if lab && len(stores) > 1 {
			if h := p.Host(host); !slices.Contains(stores, host) && (h == nil || h.Decl == nil || !slices.Contains(stores, h.Decl.On)) {
				return "", nil, nil, fmt.Sprintf("in a lab volume %s is mounted where its drives are, and %s is neither one of %s nor on one", to, host, fabric.Compact(stores))
			}
			return labVolume, nil, stores, ""
		}
		if len(v.Of) == 1 {
			to, at = v.Of[0], v.Extra["at"]
			break
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
		path, why := between(p, host, cmp.Or(at, owner), nil)
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
func (b *blockCell) network(p *plan.Plan, x *record.Experiment) {
	b.locals = map[string][]netip.Addr{}
	seen := map[[2]string]bool{}
	crosses := func(path plan.Path) {
		if key := [2]string{path.FromPort.ID, path.ToPort.ID}; seen[key] {
			return
		} else {
			seen[key] = true
		}
		b.paths = append(b.paths, path)
		for _, port := range []*plan.Port{path.FromPort, path.ToPort} {
			b.locals[port.Host] = once(b.locals[port.Host], port.Address.Addr())
		}
		for _, l := range path.Links {
			x.Links = once(x.Links, l.Name)
		}
	}
	if b.drive == nil && b.workers[0].served == nil { // a volume of several hosts has a network of its own
		for i, s := range b.owners {
			for _, other := range b.owners[:i] {
				if paths := p.Paths(other, s); len(paths) > 0 {
					crosses(paths[0])
				}
			}
		}
	}
	for _, w := range b.workers {
		if w.served != nil {
			for _, path := range p.Paths(w.host, w.served.owner) {
				if path.ToPort.Address.Addr() == w.served.at {
					crosses(path)
					break
				}
			}
			continue
		}
		for _, s := range b.stores {
			if path, why := between(p, w.host, s, nil); why == "" { // else it is counted nowhere, and the record says so by leaving it out
				crosses(path)
			}
		}
	}
}
