package storage

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Degraded checks for pools and arrays that lost a disk, or are rebuilding.
var Degraded = check.Check{
	ID:    "storage-degraded",
	Title: "pools and arrays that miss a disk, or are mending themselves",
	Why: "one more disk that fails takes the data with it; and what is measured into a pool that mends itself is " +
		"what its disks have left over",
	Worst:  record.Error,
	Source: "zpool-status(8); zpoolconcepts(7): Device Failure and Recovery; drivers/md/md.c: /proc/mdstat; mdadm(8)",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.Storage.Pools {
				p := &h.Facts.Storage.Pools[i]
				if f, ok := troubledPool(h, p); ok {
					r.Found(f, f.Subject)
				}
				if f, ok := busyPool(h, p); ok {
					r.Found(f, f.Subject)
				}
			}
			for i := range h.Facts.Storage.Arrays {
				a := &h.Facts.Storage.Arrays[i]
				if f, ok := troubledArray(h, a); ok {
					r.Found(f, f.Subject)
				}
				if f, ok := busyArray(h, a); ok {
					r.Found(f, f.Subject)
				}
			}
		}
	},
}

// misleads is the consequence for a measurement while other programs write to the disks.
const misleads = "a measurement into it now misleads: its disks are shared with that, and the figure is lower than " +
	"what is there afterwards"

// troubledPool reports whether a pool has lost a disk, or data.
func troubledPool(h *check.Host, p *facts.Pool) (f record.Finding, ok bool) {
	name := check.Quoted(h.System(), p.Name)
	f = record.Finding{Subject: h.Subject("pool " + p.Name), Want: "ONLINE, without errors", Have: "it is " + p.State}
	if p.Line != "" {
		f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: p.Source, Line: p.Line}}
	}
	switch {
	case p.State == "FAULTED" || p.State == "UNAVAIL" || p.State == "SUSPENDED" || p.State == "REMOVED":
		f.Severity = record.Error
		f.Consequence = "nothing of it can be read or written"
		f.Fix = fmt.Sprintf("zpool status -v %s names the disks: connect them again, then zpool clear %s; what cannot be "+
			"brought back has to come from a backup", name, name)
	case p.Lost.Line != "":
		f.Severity, f.Have = record.Error, "data is lost"
		if p.State != "" && p.State != "ONLINE" {
			f.Have += ", and it is " + p.State
		}
		f.Consequence = "the files that zpool status -v names cannot be read whole, and nothing mends them"
		f.Fix = fmt.Sprintf("zpool status -v %s, restore these files from a backup, then zpool clear %s and zpool scrub "+
			"%s; look for the disk, cable or memory behind it first", name, name, name)
	case p.State == "DEGRADED":
		f.Severity = record.Warning
		f.Consequence = "the data is there with less redundancy, or none: one more disk may lose it; of a RAID-Z what a " +
			"missing disk had is computed at each read"
		f.Fix = fmt.Sprintf("zpool status %s names the disk: zpool online %s DISK if it is back, else zpool replace %s "+
			"DISK NEWDISK", name, name, name)
		if p.Doing == "resilver" {
			f.Fix = "a disk is being filled: wait until it is (zpool wait -t resilver " + name + "), then look again"
		}
	case len(p.Errors) > 0:
		f.Severity, f.Have = record.Warning, "a disk had errors, and they were mended"
		f.Consequence = "the data is whole; a disk, cable or controller that goes on so will fail, and each mending costs " +
			"a read of the other disks"
		f.Fix = fmt.Sprintf("look at that disk (smartctl -x) and its cable, then zpool clear %s and zpool scrub %s", name,
			name)
	default:
		return f, false
	}
	for _, line := range p.Errors[:min(3, len(p.Errors))] {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: line})
	}
	if p.Lost.Line != "" {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Lost.Source, Line: p.Lost.Line})
	}
	return f, len(f.Evidence) > 0
}

// busyPool reports whether a pool is rebuilding or scrubbing.
func busyPool(h *check.Host, p *facts.Pool) (f record.Finding, ok bool) {
	name := check.Quoted(h.System(), p.Name)
	f = record.Finding{Subject: h.Subject("pool " + p.Name), Want: "nothing under way while something is measured",
		Consequence: misleads, Evidence: []record.EvidenceLine{{Host: h.Name, Source: p.Work.Source, Line: p.Work.Line}}}
	switch p.Doing {
	case "resilver":
		f.Severity, f.Have = record.Warning, "a disk is being filled (resilver)"
		f.Fix = "wait until it is done, and measure then: zpool wait -t resilver " + name
	case "scrub":
		f.Severity, f.Have = record.Info, "all of it is being read and checked (scrub)"
		f.Fix, f.Undo = "zpool scrub -p "+name+" holds it while something is measured", "zpool scrub "+name
	default:
		return f, false
	}
	return f, true
}

// troubledArray reports whether an md array lost disks.
func troubledArray(h *check.Host, a *facts.Array) (f record.Finding, ok bool) {
	f = record.Finding{Subject: h.Subject("array " + a.Name), Want: "all its disks",
		Evidence: []record.EvidenceLine{{Host: h.Name, Source: a.Source, Line: a.Line}}}
	switch {
	case !a.Active && !a.Container:
		f.Severity, f.Have, f.Want = record.Error, "it is not running", "active, with all its disks"
		f.Consequence = "nothing of it can be read or written"
		f.Fix = fmt.Sprintf("mdadm --examine its disks, then mdadm --stop /dev/%s and mdadm --assemble --scan", a.Name)
	case a.InUse < a.Disks:
		f.Severity, f.Have = record.Warning, fmt.Sprintf("%d of %d disks", a.InUse, a.Disks)
		if len(a.Faulty) > 0 {
			f.Have += "; " + strings.Join(a.Faulty, ", ") + " failed"
		}
		f.Consequence = "the data is there with less redundancy, or none: one more disk may lose it; of RAID 5 and 6 what " +
			"a missing disk had is computed at each read"
		f.Fix = fmt.Sprintf("mdadm --detail /dev/%s, mdadm /dev/%s --remove the failed disk, mdadm /dev/%s --add a new one",
			a.Name, a.Name, a.Name)
		if a.Rebuilding() {
			f.Fix = "wait until it is rebuilt: mdadm --wait /dev/" + a.Name
		}
	default:
		return f, false
	}
	return f, true
}

// busyArray reports whether an array is rebuilding or checking.
func busyArray(h *check.Host, a *facts.Array) (f record.Finding, ok bool) {
	f = record.Finding{Subject: h.Subject("array " + a.Name), Want: "nothing under way while something is measured",
		Consequence: misleads, Evidence: []record.EvidenceLine{{Host: h.Name, Source: a.Work.Source, Line: a.Work.Line}}}
	switch {
	case a.Rebuilding():
		f.Severity, f.Have = record.Warning, "its disks are being written to ("+a.Doing+")"
		f.Fix = "wait until it is done, and measure then: mdadm --wait /dev/" + a.Name
	case a.Doing == "check" || a.Doing == "repair":
		f.Severity, f.Have = record.Info, "all of it is being read and compared ("+a.Doing+")"
		f.Fix, f.Undo = "echo idle > /sys/block/"+a.Name+"/md/sync_action",
			"echo "+a.Doing+" > /sys/block/"+a.Name+"/md/sync_action"
	default:
		return f, false
	}
	return f, true
}
