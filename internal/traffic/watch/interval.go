package watch

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"linerate/internal/facts"
	"linerate/internal/facts/parse/storage"
	"linerate/internal/record"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
)

// IntervalOptions are the options of a watch over the interval of a measurement by another part of this program, or on
// another host.
type IntervalOptions struct {
	Local            netip.Addr    // planned address of this host, whose interface is counted; invalid: none
	Locals           []netip.Addr  // further ones; the counts are the sums
	Warmup, Interval time.Duration // ctx may end the interval before
	Samples          int           // readings a second of cores and counters; 0: none
	Processes        bool          // of this host's network namespace: count them
	Drives           []string      // block devices that are counted, by the kernel's names
	Tasks            *HostTasks    // that ListTasks found; nil: they are listed when the watch begins
}

// HostTasks is a list of the tasks of this host.
type HostTasks struct{ plan *workPlan }

// ListTasks looks through the tasks of this host for a watch that begins later. It takes up to 100 ms of a CPU, which
// programs that begin at the same moment would miss.
func ListTasks() *HostTasks { return &HostTasks{planWork()} }

// During watches this host over an interval: CPUs, the interface and drives. begin is the stamp from which the warm-up
// counts.
func During(ctx context.Context, begin int64, o IntervalOptions, emit func([]traffic.Sample)) *traffic.Outcome {
	device, _ := placement.DeviceOf("", o.Local, netip.Addr{})
	w := traffic.NewInterval(begin, traffic.Setup{Warmup: o.Warmup, Interval: o.Interval, Amount: 1}, 0)
	out := &traffic.Outcome{OpenNS: w.Open, StartNS: w.Open, Slice: float64(w.Step) / 1e9}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		devices := []string{device}
		for _, at := range o.Locals {
			if name, _ := placement.DeviceOf("", at, netip.Addr{}); !slices.Contains(devices, name) {
				devices = append(devices, name)
			}
		}
		countLinks(ctx, out, w, devices, o)
	}()
	seen := watchHost(ctx, Options{Device: device, Samples: o.Samples, Tasks: o.Tasks}, w, nil, emit)
	<-counted
	seen.Into(out)
	return out
}

// countLinks reads the counters of interfaces, and of drives, at both edges of the interval.
func countLinks(ctx context.Context, o *traffic.Outcome, w traffic.Interval, devices []string, what IntervalOptions) {
	drives := what.Drives
	var uses []map[int]processUse
	all := newMachine(devices[0], 1)
	defer all.close()
	links := []*machine{all}
	for _, name := range devices[1:] {
		links = append(links, &machine{device: name})
	}
	read := func() map[string]facts.BlockCount {
		if text, err := all.dev.read(); err == nil {
			for _, link := range links {
				if link.device != "" {
					link.countLink(text)
				}
			}
		}
		if what.Processes {
			use, err := processesHere("/proc")
			if err != nil {
				o.Unknown = append(o.Unknown, record.Unknown{Subject: "processes", Reason: err.Error()})
			}
			uses = append(uses, use)
		}
		if len(drives) == 0 {
			return nil
		}
		counts, err := readDrives(drives)
		if err != nil {
			o.Unknown = append(o.Unknown, record.Unknown{Subject: "drives", Reason: err.Error()})
		}
		return counts
	}
	if !traffic.SleepUntil(ctx, w.Open) {
		return
	}
	before, from := read(), traffic.Now()
	traffic.SleepUntil(ctx, w.Close)
	after, end := read(), traffic.Now()
	o.StartNS, o.EndNS, o.CloseNS = from, end, end
	o.Link = sumOf(links)
	if what.Processes && uses[0] != nil && uses[1] != nil {
		o.Processes = processesBetween(uses[0], uses[1], float64(end-from)/1e9)
	}
	for _, name := range drives {
		a, known := before[name]
		b, still := after[name]
		if !known || !still {
			o.Unknown = append(o.Unknown, record.Unknown{Subject: "drive " + name,
				Reason: "the kernel does not count it all the time"})
			continue
		}
		o.Drives = append(o.Drives, record.DriveCount{Name: name, Reads: int64(b.Reads - a.Reads),
			ReadBytes: int64(b.ReadBytes - a.ReadBytes), Writes: int64(b.Writes - a.Writes),
			WrittenBytes: int64(b.WrittenBytes - a.WrittenBytes),
			Busy:         min(1, float64(uint32(b.BusyMillis)-uint32(a.BusyMillis))*1e6/float64(end-from)),
			MadeOf:       madeOf("/sys/class/block", name)})
	}
}

// sumOf sums up what interfaces counted, with the counters that all of them have; nil: there is no interface, or one of
// them is unknown.
func sumOf(links []*machine) *traffic.LinkCount {
	sum := links[0].counted(links[0].device)
	for _, m := range links[1:] {
		one := m.counted(m.device)
		if sum == nil || one == nil {
			return nil
		}
		sum.Interface += ", " + one.Interface
		for name := range sum.Counters {
			if v, ok := one.Counters[name]; ok {
				sum.Counters[name] += v
			} else {
				delete(sum.Counters, name)
			}
		}
	}
	return sum
}

// readDrives returns the counters of block devices by name.
func readDrives(names []string) (map[string]facts.BlockCount, error) {
	text, err := diskstats()
	if err != nil {
		return nil, err
	}
	all, err := storage.ParseDiskstats(text)
	out := map[string]facts.BlockCount{}
	for _, d := range all {
		for _, name := range names {
			if d.Name == name {
				out[name] = d
			}
		}
	}
	if len(out) == 0 && err != nil {
		return nil, fmt.Errorf("/proc/diskstats: %w", err)
	}
	return out, nil
}
