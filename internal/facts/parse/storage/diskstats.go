package storage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// sector is the unit of the kernel's counters, whatever the device's sector is.
const sector = 512

// ParseDiskstats reads /proc/diskstats: major, minor, name, and eleven or more counters of reads, writes and time:
//
//	8 0 sda 14200 3361 892828 5058 18736 13416 715384 12604 0 24940 17663
//
// It ignores partitions of kernels before 2.6.25, which have four other counters. Format:
// https://docs.kernel.org/admin-guide/iostats.html
func ParseDiskstats(text []byte) ([]facts.BlockCount, error) {
	out, seen := []facts.BlockCount{}, 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 7 {
			return out, parse.Partial{Err: fmt.Errorf("%.40q is not a line of /proc/diskstats: it has %d columns, and a device "+
				"has 14 or more", facts.OneLine(line), len(fields))}
		}
		for _, f := range fields[:2] {
			if _, err := strconv.ParseUint(f, 10, 32); err != nil {
				return out, parse.Partial{Err: fmt.Errorf("%.40q is not a line of /proc/diskstats: it begins with no number of a "+
					"device", facts.OneLine(line))}
			}
		}
		seen++
		if len(fields) < 14 {
			continue
		}
		var v [11]uint64
		for i := range v {
			n, err := strconv.ParseUint(fields[3+i], 10, 64)
			if err != nil {
				return out, parse.Partial{Err: fmt.Errorf("%s: %.20q is not a counter", facts.OneLine(fields[2]), fields[3+i])}
			}
			v[i] = n
		}
		out = append(out, facts.BlockCount{Name: fields[2], Reads: v[0], ReadBytes: v[2] * sector, ReadMillis: v[3],
			Writes: v[4], WrittenBytes: v[6] * sector, WrittenMillis: v[7], InFlight: v[8], BusyMillis: v[9]})
	}
	if seen == 0 {
		return nil, parse.ToolError(text)
	}
	return out, nil
}

var (
	partitionFile = lazyregexp.New(`^/sys/block/([^/]+)/([^/]+)/partition$`)
	slaveLink     = lazyregexp.New(`^/sys/block/([^/]+)/slaves/([^/]+)$`)
	backingFile   = lazyregexp.New(`^/sys/block/([^/]+)/loop/backing_file$`)
)

// The names of the layers in a snapshot.
const (
	LayersSource = "ls -d /sys/block/*/*/partition /sys/block/*/slaves/*"
	LoopsSource  = "grep . /sys/block/*/loop/backing_file"
)

// ReadLayers reads sysfs's paths of partitions and of the members of arrays and mappings:
//
//	/sys/block/sda/sda1/partition
//	/sys/block/dm-0/slaves/sda3
//
// Format: https://docs.kernel.org/admin-guide/abi-stable.html (sysfs-block)
func ReadLayers(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		line = facts.OneLine(line)
		if m := partitionFile.FindStringSubmatch(line); m != nil {
			layer(f, m[2], m[1], line)
		} else if m := slaveLink.FindStringSubmatch(line); m != nil {
			layer(f, m[1], m[2], line)
		} else {
			continue
		}
		seen = true
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// ReadLoops reads "grep . /sys/block/*/loop/backing_file": the file or device of a loop device. A removed one ends with
// " (deleted)".
func ReadLoops(f *parse.Builder, _ []string, text []byte) error {
	return parse.ReadGrep(text, func(path, value string) bool {
		m := backingFile.FindStringSubmatch(path)
		if m == nil || value == "" {
			return false
		}
		device, ok := strings.CutPrefix(value, "/dev/")
		if !ok || strings.Contains(device, "/") {
			device = ""
		}
		l := layer(f, m[1], device, path+":"+value)
		l.File = facts.OneLine(value)
		return true
	})
}

// layer records that a device is built on another one, which may be empty.
func layer(f *parse.Builder, name, on, line string) *facts.BlockLayer {
	i := slices.IndexFunc(f.Storage.Layers, func(l facts.BlockLayer) bool { return l.Name == name })
	if i < 0 {
		f.Storage.Layers = append(f.Storage.Layers, facts.BlockLayer{Name: name, Proof: f.Proof(line)})
		i = len(f.Storage.Layers) - 1
	}
	l := &f.Storage.Layers[i]
	if on != "" && on != name && !slices.Contains(l.On, on) {
		l.On = append(l.On, on)
	}
	return l
}
