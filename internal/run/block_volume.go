package run

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/traffic"
)

// labVolume stands for where hosts see a volume that the lab makes, until it has made it.
const labVolume = "{volume}"

// volumeCopies is how often a volume of a lab has everything.
const volumeCopies = 3

// files is how many files a lab has for an experiment, copies included.
func (b *blockCell) files(p *plan.Plan, e *fabric.Experiment) int {
	n := max(b.targets, len(e.From))
	for _, v := range p.Fabric.Volumes {
		if slices.Contains(e.To, v.Name) && len(v.Of) > 1 {
			n *= volumeCopies
			break
		}
	}
	return n
}

// LabVolume is the volume that a lab has to make for a cell, and the bytes that each of its hosts has to have room for; empty: none.
func (c *Cell) LabVolume() (name string, room unit.Bytes) {
	if c.block == nil || c.block.volume == "" {
		return "", 0
	}
	const beside = 64 * unit.MiB                                                            // what GlusterFS writes for itself, and logs
	return c.block.volume, 2*unit.Bytes(len(c.block.workers))*c.block.job.Span*5/4 + beside // jobs that verify have files of their own, beside those of the others
}

// VolumeAt says where the hosts of a lab see the volume that it made.
func (c *Cell) VolumeAt(path string) {
	for i := range c.block.workers {
		if c.block.workers[i].target == labVolume {
			c.block.workers[i].target = path
		}
	}
}

// mounted refuses a worker that does not see the volume which the lab made: what stands at its place is a folder of this machine, which would be measured without a word.
func (x *blockSide) mounted(b *blockCell) error {
	if b.volume == "" || x.worker < 0 || strings.HasPrefix(x.run.Ready.FileSystem, "fuse") {
		return nil
	}
	kind := x.run.Ready.FileSystem
	if kind == "" {
		kind = "not known"
	}
	return &traffic.Error{Code: traffic.CodeInternal, Subject: x.host, Text: fmt.Sprintf("volume %s is not mounted at %s, whose file system is %s: what is under the mount is not measured", b.volume, x.run.Ready.Path, kind)}
}
