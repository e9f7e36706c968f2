package run

import (
	"strings"
	"time"

	"linerate/internal/base/unit"
)

// Written is what a run will write to one drive or folder of a host. Files and devices that are there and are only read are not known
// beforehand, so it is the most.
type Written struct {
	Place      string        // as the file names it: nas.pool
	Host, Path string        // and where that is
	Bytes      unit.Bytes    // at most, without what For writes
	For        time.Duration // so long it is written as fast as it goes, and how fast that may be is not known
	Room       unit.Bytes    // of it lies there at once
}

// madeUnlessSaid is the size of a file that block makes where nobody says another.
const madeUnlessSaid = unit.GiB

// Writes is what is still to be measured will write, by place, in the order in which it comes first.
func Writes(cfgs []Config) (out []Written) {
	scope := everyCell(cfgs)
	laid := map[string]bool{}
	at := func(place, host, path string) *Written {
		for i := range out {
			if out[i].Place == place && out[i].Host == host && out[i].Path == path {
				return &out[i]
			}
		}
		out = append(out, Written{Place: place, Host: host, Path: path})
		return &out[len(out)-1]
	}
	for _, cfg := range cfgs {
		s := &session{cfg: cfg, all: scope, started: time.Now()}
		for _, c := range cfg.Cells {
			n := c.missing()
			if n == 0 {
				continue
			}
			if b := c.block; b != nil {
				for _, w := range b.workers {
					host, path := w.host, w.target
					if w.served != nil {
						host, path = w.served.owner, w.served.folder
					}
					if bytes, room, long := s.blockWrites(c, w, n, laid); bytes > 0 || long > 0 {
						x := at(w.of, host, path)
						x.Bytes, x.For, x.Room = x.Bytes+bytes, x.For+long, x.Room+room
					}
				}
			}
			if b := c.copy; b != nil {
				amount := s.copyAmount(c)
				names := [2]string{c.Exp.From, c.Exp.To}
				for _, leg := range b.legs {
					if !b.take || c.Exp.Settings["amount"] != "" { // else the source may be a file that is there, of a size of its own
						x := at(names[leg[0]], b.ends[leg[0]].host, b.ends[leg[0]].path)
						x.Bytes, x.Room = x.Bytes+amount, max(x.Room, amount)
					}
					x := at(names[leg[1]], b.ends[leg[1]].host, b.ends[leg[1]].path)
					x.Bytes, x.Room = x.Bytes+amount*unit.Bytes(n), max(x.Room, amount)
				}
			}
		}
	}
	return out
}

// blockWrites is what one worker of a cell writes in n repeats: its file, once for all jobs that can share it, and its requests.
func (s *session) blockWrites(c *Cell, w blockWorker, n int, laid map[string]bool) (bytes, room unit.Bytes, long time.Duration) {
	j := c.block.job
	if c.block.parts != nil {
		takeLoad(&j, c.block.parts[w.part], c.Exp.Settings["rate"])
	}
	if device := strings.HasPrefix(w.target, "/dev/") || strings.Contains(w.target, "://"); w.served != nil || !device {
		span := j.Span
		if span == 0 {
			span = madeUnlessSaid
		}
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
	took := time.Duration(n) * (j.Warmup + s.lasts(c))
	if rate := s.mostWritten(c, w, j.Read); rate > 0 {
		return bytes + unit.Bytes(float64(rate)/8*took.Seconds()), room, 0
	}
	return bytes, room, took
}

// mostWritten is the most that requests of a worker can write in a second: what the way to the storage carries, and what its file says
// that a drive takes. 0: neither is known.
func (s *session) mostWritten(c *Cell, w blockWorker, read float64) (rate unit.BitRate) {
	scale := 1.0
	if s.cfg.Lab != nil {
		scale = s.cfg.Lab.Scale
	}
	for _, p := range c.block.paths {
		if v := p.Speed(); p.From == w.host && v > 0 {
			rate = unit.BitRate(float64(v) * scale)
			if read > 0 { // the reads beside them take their share of the other direction
				rate = unit.BitRate(float64(rate) * min(1, (1-read)/read))
			}
		}
	}
	if d := c.block.drive; d != nil && d.Write > 0 && s.cfg.Lab == nil && (rate == 0 || d.Write < rate) {
		rate = d.Write
	}
	return rate
}
