package facts

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// Array is a software RAID of Linux (md).
type Array struct {
	Name   string // "md0"
	Level  string // "raid1"; empty: it is not running
	Active bool
	// Container says that it is the frame of a firmware's RAID (imsm, ddf), which never runs itself.
	Container bool
	Disks     int               // that it is to have; 0: not known, or a level without redundancy
	InUse     int               // that it has
	Faulty    []string          // its disks that failed
	Doing     string            // "recovery", "resync", "reshape", "check"; with =DELAYED or =PENDING where it waits; empty: nothing
	Done      unit.Opt[float64] // share of that which is done, 0 to 1
	Work      Proof             // of Doing
	Proof                       // of how many disks it has, else of its first line
}

// Rebuilding says whether it writes to its disks by itself at this moment: a check reads alone.
func (a *Array) Rebuilding() bool {
	return a.Doing == "recovery" || a.Doing == "resync" || a.Doing == "reshape"
}

var (
	mdHead   = lazyregexp.New(`^(md[\w.-]+) : (active|inactive)(?: \((?:auto-)?read-only\))?(?: (linear|raid\d+|multipath|faulty|dm-raid\S*))?((?: \S+\[\d+\]\S*)*)`)
	mdHas    = lazyregexp.New(`\[(\d+)/(\d+)\] \[[U_]+\]`)
	mdAction = lazyregexp.New(`\b(recovery|resync|reshape|check|repair) *= *([\d.]+)%`)
	mdWaits  = lazyregexp.New(`\b(recovery|resync|reshape|check|repair)=(DELAYED|PENDING|REMOTE)`)
	mdFailed = lazyregexp.New(`(\S+)\[\d+\]\(F\)`)
)

// parseMdstat reads /proc/mdstat:
//
//	md0 : active raid1 ram4[2] ram1[0]
//	      15360 blocks super 1.2 [2/1] [U_]
//	      [>....................]  recovery =  3.2% (640/15360) finish=0.7min speed=320K/sec
//
// Format: drivers/md/md.c (md_seq_show, status_resync). The captures behind it are of a guest: a disk that failed, one that is missing, recovery,
// check and resync.
func parseMdstat(text []byte) ([]Array, error) {
	arrays, seen := []Array{}, false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Personalities :") || strings.HasPrefix(line, "unused devices:") {
			seen = true
			continue
		}
		if m := mdHead.FindStringSubmatch(line); m != nil {
			a := Array{Name: m[1], Active: m[2] == "active", Level: m[3], Done: unit.Unknown[float64]("it does nothing of its own, or waits"), Proof: Proof{Line: oneLine(line)}}
			for _, f := range mdFailed.FindAllStringSubmatch(m[4], -1) {
				a.Faulty = append(a.Faulty, f[1])
			}
			arrays = append(arrays, a)
			continue
		}
		if len(arrays) == 0 || !strings.HasPrefix(line, " ") {
			continue
		}
		a := &arrays[len(arrays)-1]
		a.Container = a.Container || strings.Contains(line, "super external:") && !a.Active
		if m := mdHas.FindStringSubmatch(line); m != nil {
			a.Disks, a.InUse, a.Line = max(0, atoi(m[1])), max(0, atoi(m[2])), oneLine(line)
		}
		if m := mdAction.FindStringSubmatch(line); m != nil {
			a.Doing, a.Work.Line = m[1], oneLine(line)
			if v, err := strconv.ParseFloat(m[2], 64); err == nil && v >= 0 && v <= 100 {
				a.Done = known(v / 100)
			}
		} else if m := mdWaits.FindStringSubmatch(line); m != nil {
			a.Doing, a.Work.Line = m[1]+"="+m[2], oneLine(line)
		}
	}
	if !seen && len(arrays) == 0 {
		return nil, errors.New("it is no /proc/mdstat: neither personalities nor arrays")
	}
	return arrays, nil
}

func putArrays(f *Facts, _ []string, arrays []Array) {
	for i := range arrays {
		arrays[i].Source = f.reading
		if arrays[i].Work.Line != "" {
			arrays[i].Work.Source = f.reading
		}
	}
	f.Storage.Arrays = arrays
}
