package facts

import (
	"slices"
)

// BlockCount has the kernel's counters of a block device since it exists: a disk, a partition, a loop device, an array.
type BlockCount struct {
	Name          string `json:"name"` // "nvme0n1", "sda1", "loop0"
	Reads         uint64 `json:"reads"`
	ReadBytes     uint64 `json:"read_bytes"` // completed
	Writes        uint64 `json:"writes"`
	WrittenBytes  uint64 `json:"written_bytes"`
	ReadMillis    uint64 `json:"read_millis"`
	WrittenMillis uint64 `json:"written_millis"` // duration of all requests, added up; 32 bits
	BusyMillis    uint64 `json:"busy_millis"`    // time with at least one request in progress; 32 bits
	InFlight      uint64 `json:"in_flight"`      // requests at the moment of reading
}

// Block returns the counters of a block device; nil: unknown.
func (f *Facts) Block(name string) *BlockCount {
	i := slices.IndexFunc(f.Storage.Blocks, func(b BlockCount) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Storage.Blocks[i]
}

// BlockLayer is what a block device is built on: a partition on its disk, an array or a mapping (dm) on its members, a
// loop device on a file.
type BlockLayer struct {
	Name string   `json:"name"` // "sda1", "md0", "dm-0", "loop0"
	On   []string `json:"on"`   // devices
	File string   `json:"file"` // of a loop device; empty: it is another device, or has none
	Proof
}

// Layer returns what a block device is built on; nil: it is a disk, or unknown.
func (f *Facts) Layer(name string) *BlockLayer {
	i := slices.IndexFunc(f.Storage.Layers, func(l BlockLayer) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Storage.Layers[i]
}

// Below returns the devices that a block device is built on, the closest first, each once.
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
