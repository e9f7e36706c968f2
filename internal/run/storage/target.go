package storage

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// choose finds the clients and their names of the storage, or returns why they are not known.
func (b *workload) choose(p *plan.Plan, e *fabric.Experiment, x *record.Experiment, transport string,
	o experiment.Options) string {
	if len(e.To) == 0 {
		return "it names no storage; write to: HOST.DRIVE"
	}
	asking := e.From
	if len(asking) == 0 {
		for _, to := range e.To {
			asking = append(asking, experiment.HostOf(cmp.Or(onlyDrive(p, to), to)))
		}
	}
	x.From, x.To = fabric.Compact(slices.Clone(asking)), fabric.Compact(slices.Clone(e.To))
	for i := range max(len(asking), len(e.To)) { // in step; the shorter list begins again
		host, to := experiment.HostOf(asking[i%len(asking)]), e.To[i%len(e.To)]
		target, served, stores, why := storage(p, host, to, transport, o.Lab)
		if served != nil && why == "" {
			why = b.fits(experiment.DriveOf(p, served.owner+"."+served.name), x.Settings["span"])
		}
		if why != "" {
			return why
		}
		if target == volumePlaceholder {
			b.volume = to
		}
		b.workers = append(b.workers, worker{host: host, target: target, of: to, served: served})
		for part := 1; part < len(b.parts); part++ {
			b.workers = append(b.workers, worker{host: host, target: target, of: to, served: served, part: part})
		}
		b.placed(p, to)
		for _, s := range stores {
			b.stores = xslices.AppendNew(b.stores, s)
		}
		if !slices.ContainsFunc(x.Ends, func(end record.End) bool { return end.Host == host }) {
			x.Ends = append(x.Ends, record.End{Host: host})
		}
	}
	b.owners = slices.Clone(b.stores)
	b.stores = slices.DeleteFunc(b.stores, func(s string) bool {
		return slices.ContainsFunc(b.workers, func(w worker) bool { return w.host == s })
	})
	if len(b.workers) == 1 {
		b.drive = experiment.DriveOf(p, e.To[0])
	}
	for i := range b.workers {
		for _, text := range o.Destroy {
			if at := strings.LastIndex(text, "="); at > 0 && text[:at] == b.workers[i].target && b.job.Read < 1 {
				b.workers[i].destroy = text
			}
		}
	}
	if x.Settings["verify"] == "true" && b.job.Read < 1 {
		if why := b.sharedTarget(); why != "" {
			return why
		}
	}
	b.network(p, x)
	return ""
}

// sharedTarget names the storage that several workers would write at once, where each compares what it reads with its
// own writes; empty: none.
func (b *workload) sharedTarget() string {
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
			return fmt.Sprintf(
				"verify: several workers would write the same blocks of %s, and each would find the others' data in place of "+
					"its own; give each a drive of its own, let them only read (read: 100%%), or leave verify out",
				w.of,
			)
		}
	}
	return ""
}

// placed records where on its hosts a drive or a volume lies, as far as the file has it.
func (b *workload) placed(p *plan.Plan, to string) {
	of := []string{to}
	for _, v := range p.Fabric.Volumes {
		if v.Name == to {
			of = v.Of
		}
	}
	for _, name := range of {
		d := experiment.DriveOf(p, name)
		if d == nil || d.Path == "" || slices.Contains(b.places[experiment.HostOf(name)], d.Path) {
			continue
		}
		if b.places == nil {
			b.places = map[string][]string{}
		}
		b.places[experiment.HostOf(name)] = append(b.places[experiment.HostOf(name)], d.Path)
	}
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

// storage is a host's path to a drive or a volume, and the hosts that have it; or served, where the drive's own host
// exports it for this.
func storage(p *plan.Plan, host, to, transport string,
	lab bool) (target string, served *servedDrive, stores []string, why string) {
	at := "" // the port of the drive's host at which it is exported
	for _, v := range p.Fabric.Volumes {
		if v.Name != to {
			continue
		}
		for _, of := range v.Of {
			stores = xslices.AppendNew(stores, experiment.HostOf(of))
		}
		if path := v.Extra["path"]; path != "" && !lab {
			return path, nil, stores, ""
		}
		if lab && len(stores) > 1 {
			if h := p.Host(host); !slices.Contains(stores, host) &&
				(h == nil || h.Decl == nil || !slices.Contains(stores, h.Decl.On)) {
				return "", nil, nil, fmt.Sprintf(
					"in a lab volume %s is mounted where its drives are, and %s is neither one of %s nor on one", to, host,
					fabric.Compact(stores))
			}
			return volumePlaceholder, nil, stores, ""
		}
		if len(v.Of) == 1 {
			to, at = v.Of[0], v.Extra["at"]
			break
		}
		return "", nil, nil, fmt.Sprintf("volume %s has no path: where the hosts see it is not known; write path: FOLDER", to)
	}
	owner := experiment.HostOf(to)
	if owner == to {
		return "", nil, nil, fmt.Sprintf("%s is a host, and block needs storage; write to: %s.DRIVE", to, to)
	}
	drive := experiment.DriveOf(p, to)
	if drive == nil {
		return "", nil, nil, fmt.Sprintf("%s is not a drive of the file", to)
	}
	folder := drive.Path
	if lab {
		folder = agent.TemporaryFolder // the file's folder is on other hosts
	}
	local := owner == host && (transport == "" || transport == "local")
	switch {
	case local && folder == "":
		return "", nil, nil, fmt.Sprintf(
			"%s has no path: what of it may be used is not known; write path: FOLDER (or a file or device of %s) under drives",
			to, owner)
	case local:
		return folder, nil, []string{owner}, ""
	case !lab && drive.Mounts[host] != "":
		return drive.Mounts[host], nil, []string{owner}, ""
	case owner == host:
		return "", nil, nil, fmt.Sprintf("%s is on %s itself, and %s goes from one host to another; write transport: local",
			to, host, transport)
	case lab || linerateExports(drive.Export) && (transport == "" || transport == drive.Export) && folder != "":
		path, why := experiment.PathBetween(p, host, cmp.Or(at, owner), nil)
		if why != "" {
			return "", nil, nil, why
		}
		served = &servedDrive{owner: owner, folder: folder, name: drive.Name, at: path.ToPort.Address.Addr(),
			peer: path.FromPort.Address.Addr(), protocol: cmp.Or(transport, drive.Export), substitute: lab}
		return "", served, []string{owner}, ""
	}
	return "", nil, nil, fmt.Sprintf(
		"where %s sees %s is not known; mount it there, and write mounts: {%s: PATH} under drives", host, to, host)
}

// linerateExports reports whether linerate exports a drive by a protocol on real hosts: with programs that it starts
// and ends, without changing the kernel's configuration.
func linerateExports(protocol string) bool {
	return slices.Contains([]string{"nvme-tcp", "iscsi", "nbd"}, protocol)
}

// fits sets the span to that of an exported drive with a size of its own, or returns that it is larger. configured is
// the span in the file; empty: none.
func (b *workload) fits(d *fabric.Drive, configured string) string {
	if d == nil || d.Size == 0 {
		return ""
	}
	if span, err := unit.ParseBytes(configured); err == nil && span > d.Size {
		return fmt.Sprintf("span %v is more than the size of %s, %v; lower span, or make size larger", span, d.Name, d.Size)
	}
	if b.job.Span == 0 || b.job.Span > d.Size {
		b.job.Span = d.Size
	}
	return ""
}

// network finds the planned ports between clients and storage hosts, to count their traffic.
func (b *workload) network(p *plan.Plan, x *record.Experiment) {
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
			b.locals[port.Host] = xslices.AppendNew(b.locals[port.Host], port.Address.Addr())
		}
		for _, l := range path.Links {
			x.Links = xslices.AppendNew(x.Links, l.Name)
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
			if path, why := experiment.PathBetween(
				p,
				w.host,
				s,
				nil,
			); why == "" { // else it is not counted, and missing in the record
				crosses(path)
			}
		}
	}
}
