package claims

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// fioWays are the directions that fio reports for each job.
var fioWays = []string{"read", "write", "trim"}

// readFio reads fio's output, as JSON (--output-format=json or json+) or as the usual text: one figure for the reads
// and one for the writes of each group of jobs that ran together. fio before version 3 writes KB for 1024 bytes (its
// manual, kb_base).
func readFio(text string) ([]Figure, error) {
	read, at := fioText, jsonAt(text, `"fio version"`)
	if at >= 0 {
		read = fioJSON
	}
	out, err := read(text[max(at, 0):])
	for i := range out {
		out[i].OneThread = unit.Known(false) // each job has its own process or thread
	}
	return out, err
}

// fioOptions sets what the job's options say. If the output lists options at all, missing ones have the defaults of
// fio's manual.
func (f *Figure) fioOptions(option func(string) (string, bool), listed bool, entries int) {
	if !listed {
		return
	}
	threads := entries
	if n, ok := option("numjobs"); ok && entries == 1 {
		if v, err := strconv.Atoi(n); err == nil && v > 0 && v < 1<<20 {
			threads = v // the group is reported as one job
		}
	}
	f.Threads, f.Depth = unit.Known(threads), unit.Known(1)
	if d, ok := option("iodepth"); ok {
		if v, err := strconv.Atoi(d); err == nil && v > 0 && v < 1<<20 {
			f.Depth = unit.Known(v)
		}
	}
	bs, ok := option("bs")
	if !ok {
		if bs, ok = option("blocksize"); !ok {
			bs = "4096"
		}
	}
	if v, ok := size(bs); ok {
		f.Block = v
	}
	for _, key := range []string{"rw", "readwrite"} {
		if v, ok := option(key); ok {
			f.Pattern = fioPattern(v)
		}
	}
	direct, ok := option("direct")
	f.Buffered = unit.Known(!ok || direct == "0")
}

// fioPattern returns the access pattern of fio's option rw: read, randwrite, randrw:8.
func fioPattern(rw string) string {
	if strings.HasPrefix(rw, "rand") {
		return "random"
	}
	return "sequential"
}

// shared removes the depth where reads and writes share one queue, because neither has all of it.
func shared(all []Figure, ways int) []Figure {
	if ways > 1 {
		for i := range all {
			all[i].Depth = unit.Unknown[int]("reads and writes share one queue")
		}
	}
	return all
}

var (
	fioHead  = lazyregexp.New(`(?m)^([^\s:][^:\n]*): \(g=(\d+)\): rw=(\w+), bs=(\S.*), ioengine=(\w+), iodepth=(\d+)`)
	fioBlock = lazyregexp.New(`^(?:\(R\) )?([\d.]+[KMG]?i?B?)-([\d.]+[KMG]?i?B?)`)
	fioEntry = lazyregexp.New(`(?m)^([^\s:][^:\n]*): \(groupid=(\d+), jobs=(\d+)\): err= ?(\d+)`)
	fioRow   = lazyregexp.New(
		`^\s+(read|write|trim)\s*: (?:IOPS=([\d.]+)([kM]?), BW=([\d.]+)([KMG]?i?B)/s|io=[\d.]+[KMGT]?i?B, bw=([\d.]+)([KMG]?i?B)/s, iops=([\d.]+))(?:.*?/(\d+)msec\))?`,
	)
	fioTime   = lazyregexp.New(`^\s+lat \(([num]?sec)\)\s*: min=.*avg=\s*([\d.]+)([kM]?)`)
	fioStatus = lazyregexp.New(`(?m)^Run status group (\d+)`)
	fioTotal  = lazyregexp.New(
		`^\s+(READ|WRITE|TRIM): (?:bw=([\d.]+)([KMGT]?i?B)/s|io=[\d.]+[KMGT]?i?B, aggrb=([\d.]+)([KMGT]?i?B)/s).*?(?:run=\d+-(\d+)msec|maxt=(\d+)msec)`,
	)
	fioVersion = lazyregexp.New(`(?m)^fio-(\d[\w.-]*)`)
	fioStarts  = lazyregexp.New(`(?m)^Starting (\d+) (?:process|thread)`)
)

// fioBytes returns a rate in bytes per second: MiB of 2^20; MB of 10^6, and of 2^20 before version 3.
func fioBytes(value, unitName string, old bool) (float64, bool) {
	v, ok := number(value)
	prefix := strings.TrimSuffix(unitName, "B")
	if old && len(prefix) == 1 {
		prefix += "i"
	}
	k, known := factor(prefix)
	return v * k, ok && known
}

// fioRun is one group and direction in the text.
type fioRun struct {
	latency, ios float64 // the jobs' times, weighted by their requests; requests per second
	last         float64 // requests per second of the job whose time comes next
	group, way   string
	line         string // the last one
	printed      string
	seconds      float64
	timed        bool
	streams      []unit.BitRate
}

// fioText reads the totals of each group ("Run status group"), and the options of the jobs above them.
func fioText(text string) ([]Figure, error) {
	version := ""
	if m := fioVersion.FindStringSubmatch(text); m != nil {
		version = m[1]
	}
	old := strings.HasPrefix(version, "1.") || strings.HasPrefix(version, "2.") ||
		version == "" && strings.Contains(text, "aggrb=")
	type asked struct {
		names   []string
		block   unit.Bytes
		depth   int
		pattern string
	}
	groups := map[string]*asked{}
	for _, m := range fioHead.FindAllStringSubmatch(text, 10_000) {
		a := groups[m[2]]
		if a == nil {
			a = &asked{}
			groups[m[2]] = a
			a.depth, _ = strconv.Atoi(m[6])
			a.pattern = fioPattern(m[3])
			if b := fioBlock.FindStringSubmatch(m[4]); b != nil && b[1] == b[2] {
				a.block, _ = size(b[1])
			}
		}
		a.names = xslices.AppendNew(a.names, m[1])
	}
	jobs, done, group := map[string]int{}, 0, ""
	rows := map[string]*fioRun{}
	var row *fioRun
	var order []*fioRun
	var out []Figure
	at, several, groupOf := map[string]int{}, map[string]int{}, []string{}
	add := func(group, way string, rate float64, printed, line string, seconds float64) {
		f := silent()
		f.Version, f.Way, f.Rate, f.Row = version, way, unit.BitRate(rate), way
		f.Printed, f.Line, f.Seconds = printed, line, seconds
		if old {
			f.Meant = "KB = 1024 bytes"
		}
		if a := groups[group]; a != nil {
			f.Row = strings.Join(append(slices.Clone(a.names), way), " ")
			f.Block = a.block
			if len(a.names) == 1 {
				f.Pattern = a.pattern
			}
			if a.depth > 0 && len(a.names) == 1 {
				f.Depth = unit.Known(a.depth)
			}
		}
		if n := jobs[group]; n > 0 {
			f.Threads = unit.Known(n)
		}
		if r := rows[group+way]; r != nil {
			f.Streams = r.streams
			if r.ios > 0 {
				f.IOPS = unit.Known(r.ios)
			}
			if r.ios > 0 && r.latency > 0 {
				f.Latency = unit.Known(r.latency / r.ios)
			}
		}
		key := group + way
		if i, again := at[key]; again { // an intermediate status; the last one counts
			out[i] = f
			return
		}
		at[key] = len(out)
		out, groupOf = append(out, f), append(groupOf, group)
		several[group]++
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := fioEntry.FindStringSubmatch(line); m != nil {
			if m[4] != "0" {
				return nil, fmt.Errorf("job %.60q ended with error %s; its figures are not result", m[1], m[4])
			}
			n, err := strconv.Atoi(m[3])
			if err != nil || n > 1<<20 {
				continue
			}
			group, row = m[2], nil
			jobs[group] += n
			done += n
			continue
		}
		if m := fioRow.FindStringSubmatch(line); m != nil && group != "" {
			row = rows[group+m[1]]
			if row == nil {
				row = &fioRun{group: group, way: m[1]}
				rows[group+m[1]] = row
				order = append(order, row)
			}
			value, name := m[4]+m[6], m[5]+m[7]
			v, _ := fioBytes(value, name, old)
			row.streams = append(row.streams, unit.BitRate(8*v))
			row.line, row.printed = tidy(line), value+" "+name+"/s"
			if ms, ok := number(m[9]); ok {
				row.seconds = max(row.seconds, ms/1000)
			}
			ios, _ := number(m[2] + m[8])
			row.last, row.timed = ios*map[string]float64{"": 1, "k": 1e3, "M": 1e6}[m[3]], false
			row.ios += row.last
			continue
		}
		if m := fioTime.FindStringSubmatch(line); m != nil && row != nil && !row.timed {
			v, _ := number(m[2])
			row.timed = true
			row.latency += row.last * v * map[string]float64{"": 1, "k": 1e3,
				"M": 1e6}[m[3]] * map[string]float64{"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1}[m[1]]
			continue
		}
		if m := fioStatus.FindStringSubmatch(line); m != nil {
			group, row = m[1], nil
			continue
		}
		m := fioTotal.FindStringSubmatch(line)
		if m == nil || group == "" {
			continue
		}
		value, name := m[2]+m[4], m[3]+m[5]
		v, ok := fioBytes(value, name, old)
		if !ok {
			continue
		}
		ms, _ := number(m[6] + m[7])
		add(group, strings.ToLower(m[1]), 8*v, value+" "+name+"/s", tidy(line), ms/1000)
	}
	started := fioStarts.FindStringSubmatch(text)
	whole := started != nil && started[1] == strconv.Itoa(done) || started == nil && len(fioEntry.FindAllString(text,
		2)) == 1
	if len(out) == 0 && done > 0 && whole {
		for _, r := range order { // the lines of all jobs have the same as the totals, which are missing
			total, printed := 0.0, r.printed
			for _, s := range r.streams {
				total += float64(s)
			}
			if len(r.streams) > 1 {
				printed = unit.BitRate(total).BytesPerSecond()
			}
			add(r.group, r.way, total, printed, r.line, r.seconds)
		}
	}
	if len(out) == 0 {
		if done > 0 || strings.Contains(text, "(g=") {
			return nil, errors.New(
				"it has no \"Run status group\", which fio prints last: the output was cut off, or the measurement was",
			)
		}
		return nil, errors.New(
			"it has no \"Run status group 0 (all jobs):\" with READ: or WRITE: below, and is not a JSON of fio",
		)
	}
	if m := started; m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && done > 0 && done < n {
			for i := range out {
				out[i].Threads = unit.Unknown[int]("of " + m[1] + " jobs not all are in the output")
			}
		}
	}
	for i := range out {
		if several[groupOf[i]] > 1 {
			shared(out[i:i+1], 2)
		}
	}
	return out, nil
}
