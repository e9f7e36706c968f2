package storage

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/storage/block"
)

// workload is a Measurement of reads and writes of storage.
type workload struct {
	experiment.Defaults
	c       *experiment.Combination
	workers []worker
	stores  []string // hosts with the storage, and without a worker
	owners  []string // all hosts with the storage
	job     block.Job
	parts   []fabric.BlockPart // loads that each host runs at once; nil: only job
	pause   time.Duration
	places  map[string][]string     // paths of the storage, by host
	locals  map[string][]netip.Addr // planned addresses of hosts with counted interfaces
	paths   []plan.Path             // from workers to storage
	drive   *fabric.Drive           // the target, if it is one drive; nil: several, or a volume
	targets int                     // number of drives and volumes
	volume  string                  // volume that the lab must make for this; empty: none
}

// worker is a client host, and its path to the storage. A host that uses several targets has one worker for each of
// them.
type worker struct {
	host, target string
	of           string       // the drive or volume, as in the file
	part         int          // of the loads that its host runs at once
	served       *servedDrive // nil: the host has its own access
	destroy      string       // DEVICE=SERIAL of this target; empty: not named
}

// servedDrive is storage that its own host's agent exports, for one other host.
type servedDrive struct {
	owner, folder string
	name          string     // the drive: each has a file of its own
	at, peer      netip.Addr // listening address, and the client's
	protocol      string     // empty: none configured
	substitute    bool       // NVMe/TCP replaces what a lab's host is missing
}

// steadyGuess is the expected time until the steady state.
const steadyGuess = 20 * time.Second

func (b *workload) Hosts() []string { return slices.Compact(slices.Sorted(slices.Values(b.hosts()))) }

// Paths are none: the mounts of the hosts decide the path of storage traffic.
func (b *workload) Paths() []plan.Path { return nil }

func (b *workload) OpenEnded() bool { return b.c.Amount() > 0 || b.job.Steady }

func (b *workload) Guess(float64) time.Duration {
	if b.job.Steady {
		return min(b.c.Asked(), steadyGuess)
	}
	return 0
}

// Extra is the warm-up of the storage, and the pause before a repeat.
func (b *workload) Extra(time.Duration) time.Duration { return b.job.Warmup + b.pause }

func (b *workload) InEffect(last record.Repeat) {
	b.c.LengthInEffect(last)
	b.c.TransportInEffect()
	if b.job.Rate > 0 {
		b.c.Record.InEffect["limit"] = unit.Count(b.job.Rate) + " requests a second of each worker at most"
	}
}

// Substituted reports whether the combination needs nothing of its hosts for its storage protocol: programs export it,
// or NVMe/TCP replaces it.
func (b *workload) Substituted() bool {
	return slices.ContainsFunc(b.workers, func(w worker) bool { return w.served != nil })
}

// hosts are all hosts that take part.
func (b *workload) hosts() (all []string) {
	for _, w := range b.workers {
		all = xslices.AppendNew(all, w.host)
	}
	return append(all, b.stores...)
}

// Expand expands an experiment of method storage: a combination for every combination of values, and of a profile for
// each of its loads.
func Expand(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	all, repeat, why := expandProfiles(experiment.Product(e.Parameters), e, p.Fabric.Profiles)
	if why != "" {
		return []*experiment.Combination{experiment.Unmeasured(p, e, why)}
	}
	var combinations []*experiment.Combination
	for _, settings := range all {
		maps.Copy(settings, o.Settings)
		c := &experiment.Combination{Samples: experiment.DefaultSamples, Interval: settings["time"],
			Repeats: experiment.RepeatsOf(e, o)}
		b := &workload{c: c, targets: len(slices.Compact(slices.Sorted(slices.Values(e.To))))}
		c.Measurement = b
		switch {
		case o.Repeats > 0 || e.Repeats > 0:
		case o.Lab && len(all) > maxLabCombinations:
			c.Repeats, c.OneOf = 1, len(all)
		case repeat > 0:
			c.Repeats = repeat
		}
		delete(settings, "time")
		x := &record.Experiment{Name: e.Name, Method: method.Storage, Direction: "out", Variant: p.Variant,
			Settings: settings}
		c.Record = x
		var err error
		b.job, err = jobOf(settings)
		if b.parts = partsOf(settings); b.parts != nil {
			sum := 0.0
			for _, part := range b.parts {
				share, _ := unit.ParsePercent(part.Read) // checked before
				sum += share
			}
			b.job.Read = sum / float64(len(b.parts)) // whether there are reads, and writes; each part has its own
		}
		if text := settings["pause"]; text != "" {
			b.pause, _ = unit.ParseDuration(text) // checked before
		}
		if o.Lab { // a lab's drive needs no rest, and has no cache to fill
			share := labShare(b.files(p, e))
			b.job.Span, b.job.Warmup, b.pause = min(cmp.Or(b.job.Span, share), share), min(b.job.Warmup, maxLabWarmup), 0
			if b.job.Steady && c.Asked() > labSteady {
				c.Interval = labSteady.String()
			}
		}
		x.NotRun = cmp.Or(experiment.Unsupported(e, settings, o), b.choose(p, e, x, settings["transport"], o))
		if err != nil && x.NotRun == "" {
			x.NotRun = err.Error()
		}
		x.ID = record.ExperimentID(x)
		combinations = append(combinations, c)
	}
	return combinations
}
