package block

import (
	"os"
	"path/filepath"
	"slices"
)

// DevicesOf names the block devices that a file, folder or device lies on, as the kernel counts them (/proc/diskstats): itself, then what it is made of. Nil: not known.
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

// PhysicalDrives names the block devices of this host that are made of no others: drives, and the LUNs of controllers. Linux alone; elsewhere nil.
func PhysicalDrives() (names []string) {
	found, _ := filepath.Glob("/sys/block/*/device")
	for _, f := range found {
		names = append(names, filepath.Base(filepath.Dir(f)))
	}
	slices.Sort(names)
	return names
}
