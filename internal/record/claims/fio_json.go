package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

type fioWay struct {
	IOBytes  float64 `json:"io_bytes"`
	BWBytes  float64 `json:"bw_bytes"`
	BW       float64 // KiB/s
	IOPS     float64
	Runtime  float64                // ms
	TotalIOs float64                `json:"total_ios"`
	LatNS    struct{ Mean float64 } `json:"lat_ns"`
	Lat      struct{ Mean float64 } // us, before version 3
}

type fioJob struct {
	Name    string            `json:"jobname"`
	Group   int               `json:"groupid"`
	Error   int               `json:"error"`
	Options map[string]string `json:"job options"`
	Read    fioWay            `json:"read"`
	Write   fioWay            `json:"write"`
	Trim    fioWay            `json:"trim"`
	User    float64           `json:"usr_cpu"`
	System  float64           `json:"sys_cpu"`
}

func (j *fioJob) way(name string) fioWay {
	return map[string]fioWay{"read": j.Read, "write": j.Write, "trim": j.Trim}[name]
}

// rate is in bytes per second.
func (w fioWay) rate() float64 {
	if w.BWBytes > 0 {
		return w.BWBytes
	}
	return w.BW * 1024
}

func fioJSON(text string) ([]Figure, error) {
	var o struct {
		Version string            `json:"fio version"`
		Global  map[string]string `json:"global options"`
		Jobs    []fioJob
	}
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&o); err != nil {
		return nil, fmt.Errorf("it begins as JSON and is none, or was cut off: %w", err)
	}
	if o.Version == "" && len(o.Jobs) == 0 {
		return nil, errors.New("it is JSON, and not of fio (it has neither \"fio version\" nor \"jobs\")")
	}
	groups := map[int][]fioJob{}
	var order []int
	for _, j := range o.Jobs {
		if j.Error != 0 {
			return nil, fmt.Errorf("job %.60q ended with error %d; its figures are not result", j.Name, j.Error)
		}
		if groups[j.Group] == nil {
			order = append(order, j.Group)
		}
		groups[j.Group] = append(groups[j.Group], j)
	}
	var out []Figure
	for _, g := range order {
		out = append(out, fioGroup(groups[g], o.Global, strings.TrimPrefix(o.Version, "fio-"))...)
	}
	if len(out) == 0 {
		return nil, errors.New("no job of it read or wrote anything; the measurement did not carry data")
	}
	return out, nil
}

// fioGroup returns the reads and the writes of jobs that ran together.
func fioGroup(jobs []fioJob, global map[string]string, version string) (out []Figure) {
	ways := 0
	for _, way := range fioWays {
		f := silent()
		f.Version, f.Way = version, way
		var bytes, ios, count, latency, running float64
		var names []string
		for _, j := range jobs {
			w := j.way(way)
			if !(w.rate() > 0) {
				continue
			}
			running++
			bytes += w.rate()
			ios += w.IOPS
			count += w.TotalIOs
			mean := w.LatNS.Mean / 1e9
			if mean == 0 {
				mean = w.Lat.Mean / 1e6
			}
			latency += mean * w.IOPS
			f.Streams = append(f.Streams, unit.BitRate(8*w.rate()))
			f.Seconds = max(f.Seconds, w.Runtime/1000)
			names = xslices.AppendNew(names, j.Name)
		}
		if running == 0 {
			continue
		}
		ways++
		f.Rate = unit.BitRate(8 * bytes)
		f.Row = strings.Join(append(names, way), " ")
		f.Printed = fmt.Sprintf("%.0f bytes/s", bytes)
		f.Line = tidy(fmt.Sprintf("jobs[%s].%s: bw %.0f bytes/s, iops %.0f", strings.Join(names, ", "), way, bytes, ios))
		if ios > 0 {
			f.IOPS = unit.Known(ios)
			if latency > 0 {
				f.Latency = unit.Known(latency / ios)
			}
		}
		first := jobs[0]
		option := func(key string) (string, bool) {
			for _, from := range []map[string]string{first.Options, global} {
				if v, ok := from[key]; ok {
					return v, true
				}
			}
			return "", false
		}
		f.fioOptions(option, len(first.Options) > 0, int(running))
		if f.Block == 0 && ios > 0 && count > 0 {
			f.Block = unit.Bytes(bytes/ios + 0.5)
		}
		out = append(out, f)
	}
	return shared(out, ways)
}
