package experiment

import (
	"slices"
	"time"

	"linerate/internal/base/unit"
)

// Written is what a run will write to one drive or folder of a host. Existing files and devices that are only read are
// not known beforehand, so it is the maximum.
type Written struct {
	Place      string        // as in the file: nas.pool
	Host, Path string        // location of Place
	Bytes      unit.Bytes    // at most, without what For writes
	For        time.Duration // duration of writing at full speed, where the rate is not known
	Room       unit.Bytes    // maximum of it at any one time
	Reused     bool          // the space is free again after the measurement
}

// AddWritten adds the writes of one measurement to those of others, by place.
func AddWritten(all []Written, one Written) []Written {
	i := slices.IndexFunc(all, func(w Written) bool {
		return w.Place == one.Place && w.Host == one.Host && w.Path == one.Path
	})
	if i < 0 {
		i, all = len(all), append(all, Written{Place: one.Place, Host: one.Host, Path: one.Path})
	}
	x := &all[i]
	x.Bytes, x.For = x.Bytes+one.Bytes, x.For+one.For
	if one.Reused {
		x.Room = max(x.Room, one.Room)
	} else {
		x.Room += one.Room
	}
	return all
}
