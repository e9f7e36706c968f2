package traffic

import (
	"os"
	"path/filepath"
)

func diskstats() ([]byte, error) { return os.ReadFile("/proc/diskstats") }

// madeOf names the devices right below a block device, by the kernel's names: what it is mapped onto, the members of an array, the disk of a partition. class is /sys/class/block.
// Empty: there are none; nil: not known.
func madeOf(class, name string) []string {
	at, err := filepath.EvalSymlinks(filepath.Join(class, filepath.Base(name)))
	if err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(at, "partition")); err == nil {
		return []string{filepath.Base(filepath.Dir(at))}
	}
	slaves, err := os.ReadDir(filepath.Join(at, "slaves"))
	if err != nil && !os.IsNotExist(err) {
		return nil
	}
	names := []string{}
	for _, s := range slaves {
		names = append(names, s.Name())
	}
	return names
}
