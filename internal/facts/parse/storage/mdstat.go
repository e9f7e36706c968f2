package storage

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

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
// Format: drivers/md/md.c (md_seq_show, status_resync). Snapshots: a guest with a failed disk, a missing one, recovery,
// check and resync.
func parseMdstat(text []byte) ([]facts.Array, error) {
	arrays, seen := []facts.Array{}, false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Personalities :") || strings.HasPrefix(line, "unused devices:") {
			seen = true
			continue
		}
		if m := mdHead.FindStringSubmatch(line); m != nil {
			a := facts.Array{Name: m[1], Active: m[2] == "active", Level: m[3],
				Done: unit.Unknown[float64]("it does nothing of its own, or waits"), Proof: facts.Proof{Line: facts.OneLine(line)}}
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
			a.Disks, a.InUse, a.Line = max(0, facts.Atoi(m[1])), max(0, facts.Atoi(m[2])), facts.OneLine(line)
		}
		if m := mdAction.FindStringSubmatch(line); m != nil {
			a.Doing, a.Work.Line = m[1], facts.OneLine(line)
			if v, err := strconv.ParseFloat(m[2], 64); err == nil && v >= 0 && v <= 100 {
				a.Done = unit.Known(v / 100)
			}
		} else if m := mdWaits.FindStringSubmatch(line); m != nil {
			a.Doing, a.Work.Line = m[1]+"="+m[2], facts.OneLine(line)
		}
	}
	if !seen && len(arrays) == 0 {
		return nil, errors.New("it is not a /proc/mdstat: neither personalities nor arrays")
	}
	return arrays, nil
}

func putArrays(f *parse.Builder, _ []string, arrays []facts.Array) {
	for i := range arrays {
		arrays[i].Source = f.Reading
		if arrays[i].Work.Line != "" {
			arrays[i].Work.Source = f.Reading
		}
	}
	f.Storage.Arrays = arrays
}
