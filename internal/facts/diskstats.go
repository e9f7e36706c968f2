package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// BlockCount is what the kernel counted of a block device since it is there: a disk, a partition, a loop device, an array.
type BlockCount struct {
	Name                      string // "nvme0n1", "sda1", "loop0"
	Reads, ReadBytes          uint64 // that were finished
	Writes, WrittenBytes      uint64
	ReadMillis, WrittenMillis uint64 // that requests took from their start, all together; 32 bits
	BusyMillis                uint64 // in which at least one request was under way; 32 bits
	InFlight                  uint64 // requests at the moment of reading
}

// sector is the unit in which the kernel counts, whatever the device's own is.
const sector = 512

// parseDiskstats reads /proc/diskstats: major, minor, name, and eleven or more counters of reads, writes and time:
//
//	8 0 sda 14200 3361 892828 5058 18736 13416 715384 12604 0 24940 17663
//
// Partitions of kernels before 2.6.25 have four counters, of other things: they are left out.
// Format: https://docs.kernel.org/admin-guide/iostats.html
func parseDiskstats(text []byte) ([]BlockCount, error) {
	out, seen := []BlockCount{}, 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 7 {
			return out, partial{fmt.Errorf("%.40q is no line of /proc/diskstats: it has %d columns, and a device has 14 or more", oneLine(line), len(fields))}
		}
		for _, f := range fields[:2] {
			if _, err := strconv.ParseUint(f, 10, 32); err != nil {
				return out, partial{fmt.Errorf("%.40q is no line of /proc/diskstats: it begins with no number of a device", oneLine(line))}
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
				return out, partial{fmt.Errorf("%s: %.20q is no counter", oneLine(fields[2]), fields[3+i])}
			}
			v[i] = n
		}
		out = append(out, BlockCount{Name: fields[2], Reads: v[0], ReadBytes: v[2] * sector, ReadMillis: v[3], Writes: v[4], WrittenBytes: v[6] * sector, WrittenMillis: v[7],
			InFlight: v[8], BusyMillis: v[9]})
	}
	if seen == 0 {
		return nil, toolError(text)
	}
	return out, nil
}

// Block is the counters of a block device; nil: they are not known.
func (f *Facts) Block(name string) *BlockCount {
	i := slices.IndexFunc(f.Storage.Blocks, func(b BlockCount) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Storage.Blocks[i]
}

// BlockLayer is what a block device lies on: a partition on its disk, an array or a mapping (dm) on its members, a loop device on a file.
type BlockLayer struct {
	Name string   // "sda1", "md0", "dm-0", "loop0"
	On   []string // devices
	File string   // of a loop device; empty: it is none, or has none
	Proof
}

var (
	partitionFile = lazyregexp.New(`^/sys/block/([^/]+)/([^/]+)/partition$`)
	slaveLink     = lazyregexp.New(`^/sys/block/([^/]+)/slaves/([^/]+)$`)
	backingFile   = lazyregexp.New(`^/sys/block/([^/]+)/loop/backing_file$`)
)

// Under which names the layers stand in a capture.
const (
	layersSource = "ls -d /sys/block/*/*/partition /sys/block/*/slaves/*"
	loopsSource  = "grep . /sys/block/*/loop/backing_file"
)

// readLayers reads the paths that sysfs has of partitions and of what arrays and mappings are made of:
//
//	/sys/block/sda/sda1/partition
//	/sys/block/dm-0/slaves/sda3
//
// Format: https://docs.kernel.org/admin-guide/abi-stable.html (sysfs-block)
func readLayers(f *Facts, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		line = oneLine(line)
		if m := partitionFile.FindStringSubmatch(line); m != nil {
			f.layer(m[2], m[1], line)
		} else if m := slaveLink.FindStringSubmatch(line); m != nil {
			f.layer(m[1], m[2], line)
		} else {
			continue
		}
		seen = true
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

// readLoops reads "grep . /sys/block/*/loop/backing_file": the file, or the device, that a loop device is made of. One that was removed has
// " (deleted)" behind it.
func readLoops(f *Facts, _ []string, text []byte) error {
	return readGrep(text, func(path, value string) bool {
		m := backingFile.FindStringSubmatch(path)
		if m == nil || value == "" {
			return false
		}
		device, ok := strings.CutPrefix(value, "/dev/")
		if !ok || strings.Contains(device, "/") {
			device = ""
		}
		l := f.layer(m[1], device, path+":"+value)
		l.File = oneLine(value)
		return true
	})
}

// layer notes that a device lies on another one, which may be empty.
func (f *Facts) layer(name, on, line string) *BlockLayer {
	i := slices.IndexFunc(f.Storage.Layers, func(l BlockLayer) bool { return l.Name == name })
	if i < 0 {
		f.Storage.Layers = append(f.Storage.Layers, BlockLayer{Name: name, Proof: f.proof(line)})
		i = len(f.Storage.Layers) - 1
	}
	l := &f.Storage.Layers[i]
	if on != "" && on != name && !slices.Contains(l.On, on) {
		l.On = append(l.On, on)
	}
	return l
}

// Layer is what a block device lies on; nil: it is a disk of its own, or that is not known.
func (f *Facts) Layer(name string) *BlockLayer {
	i := slices.IndexFunc(f.Storage.Layers, func(l BlockLayer) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Storage.Layers[i]
}

// Below are the devices that a block device lies on, the next ones first, each once.
func (f *Facts) Below(name string) (all []string) {
	for next := []string{name}; len(next) > 0; next = next[1:] {
		l := f.Layer(next[0])
		if l == nil {
			continue
		}
		for _, on := range l.On {
			if on != name && !slices.Contains(all, on) {
				all, next = append(all, on), append(next, on)
			}
		}
	}
	return all
}
