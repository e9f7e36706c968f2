package storage

import (
	"cmp"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/run/experiment"
)

// defaultFileSize is the default size of a file.
const defaultFileSize = unit.GiB

// Writes is what the workers write in n repeats.
func (b *workload) Writes(s experiment.Session, n int, laid map[string]bool) (out []experiment.Written) {
	for _, w := range b.workers {
		host, path := w.host, w.target
		if w.served != nil {
			host, path = w.served.owner, w.served.folder
		}
		if bytes, room, long := b.writes(s, w, n, laid); bytes > 0 || long > 0 {
			out = append(out, experiment.Written{Place: w.of, Host: host, Path: path, Bytes: bytes, For: long, Room: room})
		}
	}
	return out
}

// writes is the maximum that one worker writes in n repeats: its file, once for all jobs that can share it, and its
// requests.
func (b *workload) writes(s experiment.Session, w worker, n int,
	laid map[string]bool) (bytes, room unit.Bytes, long time.Duration) {
	j := b.job
	if b.parts != nil {
		applyLoad(&j, b.parts[w.part], b.c.Record.Settings["limit"])
	}
	if device := strings.HasPrefix(w.target, "/dev/") || strings.Contains(w.target, "://"); w.served != nil || !device {
		span := cmp.Or(j.Span, defaultFileSize)
		key := strings.Join([]string{w.of, w.target, span.String()}, "\x00")
		if w.served == nil {
			key += "\x00" + w.host
		}
		switch {
		case j.Verify: // its data are its own
			bytes, room = span*unit.Bytes(n), span
		case !laid[key]:
			bytes, room = span, span
		}
		laid[key] = true
	} else if w.destroy == "" {
		return 0, 0, 0
	}
	if j.Read >= 1 {
		return bytes, room, 0
	}
	if j.Amount > 0 {
		return bytes + unit.Bytes(float64(j.Amount)*(1-j.Read))*unit.Bytes(n), room, 0
	}
	duration := time.Duration(n) * (j.Warmup + s.Lasts(b.c))
	if rate := b.maxWritten(s, w, j.Read); rate > 0 {
		return bytes + unit.Bytes(float64(rate)/8*duration.Seconds()), room, 0
	}
	return bytes, room, duration
}

// maxWritten is the maximum that a worker's requests can write in a second: the rate of the path to the storage, and
// that of the drive in its file. 0: neither is known.
func (b *workload) maxWritten(s experiment.Session, w worker, read float64) (rate unit.BitRate) {
	for _, p := range b.paths {
		if v := p.Speed(); p.From == w.host && v > 0 {
			rate = unit.BitRate(float64(v) * experiment.LabScale(s))
			if read > 0 { // simultaneous reads take their share of the other direction
				rate = unit.BitRate(float64(rate) * min(1, (1-read)/read))
			}
		}
	}
	if d := b.drive; d != nil && d.Write > 0 && s.Lab() == nil && (rate == 0 || d.Write < rate) {
		rate = d.Write
	}
	return rate
}
