package block

import (
	"os"
	"path/filepath"
	"slices"
)

// Place is where an open file or folder lies, as far as the system reports it: its file system, the mount point, what
// is mounted, and the devices whose counters belong to it.
type Place struct {
	FileSystem string   `json:"file_system,omitempty"`
	Mount      string   `json:"mount,omitempty"`
	Source     string   `json:"source,omitempty"`
	Devices    []string `json:"devices,omitempty"` // by the kernel's names; empty: not known
}

// PlaceOf asks the system for the place of an open file or folder.
func PlaceOf(f *os.File) Place {
	r := Ready{Kind: KindFile}
	where(f, &r)
	return Place{FileSystem: r.FileSystem, Mount: r.Mount, Source: r.Source, Devices: r.Devices}
}

// DevicesOf names the block devices under a file, folder or device, as the kernel counts them (/proc/diskstats):
// itself, then those that it is made of. Nil: not known.
func DevicesOf(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := Ready{Kind: KindFile, Path: path}
	if info, err := f.Stat(); err == nil && isDisk(info) {
		r.Kind = KindDevice
	}
	where(f, &r)
	return r.Devices
}

// PhysicalDrives names the block devices of this host that are not made of others: drives, and the LUNs of controllers.
// It is nil on systems other than Linux.
func PhysicalDrives() (names []string) {
	found, _ := filepath.Glob("/sys/block/*/device")
	for _, f := range found {
		names = append(names, filepath.Base(filepath.Dir(f)))
	}
	slices.Sort(names)
	return names
}
