package traffic

import (
	"context"
	"fmt"
	"linerate/internal/record"
	"net/netip"
	"slices"
	"time"

	"linerate/internal/facts"
)

// WindowOptions are what a host is watched by over the window of something that is measured by another part of this program, or on another host.
type WindowOptions struct {
	Local          netip.Addr    // planned address of this host, whose interface is counted; invalid: none
	Locals         []netip.Addr  // further ones; the counts are the sums
	Warmup, Window time.Duration // ctx may end the window before
	Samples        int           // readings a second of cores and counters; 0: none
	Processes      bool          // of this host's network namespace: count them
	Drives         []string      // block devices that are counted, by the kernel's names
	Tasks          *HostTasks    // that ListTasks found; nil: they are listed when the watch begins
}

// HostTasks is a list of the tasks of this host.
type HostTasks struct{ plan *workPlan }

// ListTasks looks through the tasks of this host for a watch that begins later. It takes up to 100 ms of a processor, which at a moment at which many programs begin at once
// would be taken from them.
func ListTasks() *HostTasks { return &HostTasks{planWork()} }

// WatchWindow watches this host over a window: processors, the interface and drives. begin is the stamp from which the warm-up counts.
func WatchWindow(ctx context.Context, begin int64, o WindowOptions, emit func([]Sample)) *Outcome {
	s := Setup{Method: "app", Side: From, Direction: Out, Local: o.Local, Warmup: o.Warmup, Window: o.Window, Samples: o.Samples, Amount: 1}
	if o.Tasks != nil {
		s.tasks = o.Tasks.plan
	}
	_ = s.place(sysfs) // it fails for nodes alone, and none are asked for
	w := newWindow(begin, s, 0)
	out := &Outcome{OpenNS: w.open, StartNS: w.open, Slice: float64(w.step) / 1e9}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		devices := []string{s.layout.device}
		for _, at := range o.Locals {
			if name, _ := deviceOf(Setup{Local: at}); !slices.Contains(devices, name) {
				devices = append(devices, name)
			}
		}
		out.count(ctx, w, devices, o)
	}()
	seen := watch(ctx, s, w, nil, emit)
	<-counted
	out.see(seen)
	return out
}

// count reads the counters of interfaces, and of drives, at both edges of the window.
func (o *Outcome) count(ctx context.Context, w window, devices []string, what WindowOptions) {
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
	if !sleepUntil(ctx, w.open) {
		return
	}
	before, from := read(), Now()
	sleepUntil(ctx, w.close)
	after, end := read(), Now()
	o.StartNS, o.EndNS, o.CloseNS = from, end, end
	o.Link = together(links)
	if what.Processes && uses[0] != nil && uses[1] != nil {
		o.Processes = processesBetween(uses[0], uses[1], float64(end-from)/1e9)
	}
	for _, name := range drives {
		a, known := before[name]
		b, still := after[name]
		if !known || !still {
			o.Unknown = append(o.Unknown, record.Unknown{Subject: "drive " + name, Reason: "the kernel does not count it all the time"})
			continue
		}
		o.Drives = append(o.Drives, record.DriveCount{Name: name, Reads: int64(b.Reads - a.Reads), ReadBytes: int64(b.ReadBytes - a.ReadBytes), Writes: int64(b.Writes - a.Writes),
			WrittenBytes: int64(b.WrittenBytes - a.WrittenBytes), Busy: min(1, float64(uint32(b.BusyMillis)-uint32(a.BusyMillis))*1e6/float64(end-from)), MadeOf: madeOf("/sys/class/block", name)})
	}
}

// together is the sum of what interfaces counted, in which a counter is only that all of them have; nil: there is no interface, or one of them is not known.
func together(links []*machine) *LinkCount {
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

// readDrives are the counters of block devices by name.
func readDrives(names []string) (map[string]facts.BlockCount, error) {
	text, err := diskstats()
	if err != nil {
		return nil, err
	}
	all, err := facts.ParseDiskstats(text)
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
