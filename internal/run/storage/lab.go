package storage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run/experiment"
)

const (
	// labSpan is the maximum size of a file in a lab, and labSpans that of all files of an experiment together: all its
	// hosts are one machine.
	labSpan, labSpans = 256 * unit.MiB, unit.GiB
	// labSteady is how long a lab waits for the steady state.
	labSteady = 15 * time.Second
	// maxLabCombinations is the number of combinations of an experiment in a lab above which the default is one repeat of
	// each.
	maxLabCombinations = 24
	// maxLabWarmup is the longest warm-up of storage in a lab.
	maxLabWarmup = experiment.Warmup
)

// labShare is the maximum size of each of so many files in a lab: whole MiB, so that the largest block fits.
func labShare(files int) unit.Bytes {
	return max(8*unit.MiB, min(labSpan, labSpans/unit.Bytes(max(files, 1))/unit.MiB*unit.MiB))
}

// guestSpans is the maximum of an experiment's files on one guest of a lab, together: they are in its small memory, and
// those of the experiment before may still be there.
const guestSpans = 64 * unit.MiB

// FitGuests makes the files of storage experiments small enough for the guests of a lab.
func FitGuests(combinations []*experiment.Combination, guest func(host string) bool) {
	for _, c := range combinations {
		b, ok := c.Measurement.(*workload)
		if !ok {
			continue
		}
		files := map[string]map[string]bool{} // by host
		put := func(host, file string) {
			if files[host] == nil {
				files[host] = map[string]bool{}
			}
			files[host][file] = true
		}
		for _, w := range b.workers {
			switch {
			case w.served != nil:
				put(w.served.owner, w.served.name)
			case w.target == agent.TemporaryFolder:
				put(w.host, w.of)
			}
		}
		for host, of := range files {
			if guest(host) {
				b.job.Span = min(b.job.Span, max(8*unit.MiB, guestSpans/unit.Bytes(len(of))/unit.MiB*unit.MiB))
			}
		}
	}
}

// volumePlaceholder stands for the mount point of a volume that the lab makes, until it has made it.
const volumePlaceholder = "{volume}"

// volumeCopies is the number of replicas of a volume in a lab.
const volumeCopies = 3

// files is the number of files in a lab for an experiment, copies included.
func (b *workload) files(p *plan.Plan, e *fabric.Experiment) int {
	n := max(b.targets, len(e.From))
	for _, v := range p.Fabric.Volumes {
		if slices.Contains(e.To, v.Name) && len(v.Of) > 1 {
			n *= volumeCopies
			break
		}
	}
	return n
}

// LabVolume is the volume that a lab has to make for a combination, and the space that it needs on each of its hosts;
// empty: none.
func LabVolume(c *experiment.Combination) (name string, room unit.Bytes) {
	b, ok := c.Measurement.(*workload)
	if !ok || b.volume == "" {
		return "", 0
	}
	const extra = 64 * unit.MiB // written by GlusterFS for itself, and logs
	return b.volume, 2*unit.Bytes(
		len(b.workers),
	)*b.job.Span*5/4 + extra // jobs that verify have files of their own, in addition to those of the others
}

// VolumeAt sets where the hosts of a lab see the volume that it made for a combination.
func VolumeAt(c *experiment.Combination, path string) {
	b, ok := c.Measurement.(*workload)
	if !ok {
		return
	}
	for i := range b.workers {
		if b.workers[i].target == volumePlaceholder {
			b.workers[i].target = path
		}
	}
}

// mounted refuses a worker that does not see the volume which the lab made: it would silently measure a folder of this
// machine.
func (x *participant) mounted(b *workload) error {
	if b.volume == "" || x.worker < 0 || strings.HasPrefix(x.run.Ready.FileSystem, "fuse") {
		return nil
	}
	kind := cmp.Or(x.run.Ready.FileSystem, "not known")
	return &failure.Error{
		Code:    failure.CodeInternal,
		Subject: x.Host,
		Text: fmt.Sprintf("volume %s is not mounted at %s, whose file system is %s: what is under the mount is not measured",
			b.volume, x.run.Ready.Path, kind),
	}
}
