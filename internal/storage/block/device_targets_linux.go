package block

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// exportedDevices names the kernel's targets that export one of some devices: they open a device without a holder and
// without a process. config is the mount point of configfs; name names the device of a path, or is "" for any other
// device. Attributes as in the kernel's drivers/nvme/target/configfs.c and drivers/target/target_core_configfs.c.
func exportedDevices(config string, name func(path string) string) (used []string) {
	spaces, _ := filepath.Glob(filepath.Join(config, "nvmet/subsystems/*/namespaces/*"))
	for _, at := range spaces {
		if on := word(filepath.Join(at, "enable")); on != "1" {
			continue
		}
		if n := name(word(filepath.Join(at, "device_path"))); n != "" {
			used = append(
				used,
				fmt.Sprintf("%s is exported over NVMe-oF as namespace %s of %s", n, filepath.Base(at),
					filepath.Base(filepath.Dir(filepath.Dir(at)))),
			)
		}
	}
	stores, _ := filepath.Glob(filepath.Join(config, "target/core/*/*"))
	for _, at := range stores {
		paths := []string{word(filepath.Join(at, "udev_path"))}
		info, _ := os.ReadFile(filepath.Join(at, "info"))
		// "iBlock device: sdb  UDEV PATH: /dev/sdb", "TCM FILEIO ID: 0  File: /dev/sdb  Size: .."
		f := strings.Fields(string(info))
		for i := range f {
			if i > 0 && (f[i-1] == "PATH:" || f[i-1] == "File:") {
				paths = append(paths, f[i])
			}
		}
		for _, path := range paths {
			if n := name(path); n != "" {
				used = append(
					used,
					fmt.Sprintf("%s is backing store %s/%s of the kernel's SCSI target", n, filepath.Base(filepath.Dir(at)),
						filepath.Base(at)),
				)
				break
			}
		}
	}
	return used
}
