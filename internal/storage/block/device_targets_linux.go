package block

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// givenOut names the targets of the kernel that give out one of some devices: they open it without a holder and without a process. config is where configfs is
// mounted; name is what a path's device is called, empty: it is none of them. Attributes as in the kernel's drivers/nvme/target/configfs.c and
// drivers/target/target_core_configfs.c.
func givenOut(config string, name func(path string) string) (used []string) {
	spaces, _ := filepath.Glob(filepath.Join(config, "nvmet/subsystems/*/namespaces/*"))
	for _, at := range spaces {
		if on := word(filepath.Join(at, "enable")); on != "1" {
			continue
		}
		if n := name(word(filepath.Join(at, "device_path"))); n != "" {
			used = append(used, fmt.Sprintf("%s is given out over NVMe-oF as namespace %s of %s", n, filepath.Base(at), filepath.Base(filepath.Dir(filepath.Dir(at)))))
		}
	}
	stores, _ := filepath.Glob(filepath.Join(config, "target/core/*/*"))
	for _, at := range stores {
		paths := []string{word(filepath.Join(at, "udev_path"))}
		info, _ := os.ReadFile(filepath.Join(at, "info"))
		f := strings.Fields(string(info)) // "iBlock device: sdb  UDEV PATH: /dev/sdb", "TCM FILEIO ID: 0  File: /dev/sdb  Size: .."
		for i := range f {
			if i > 0 && (f[i-1] == "PATH:" || f[i-1] == "File:") {
				paths = append(paths, f[i])
			}
		}
		for _, path := range paths {
			if n := name(path); n != "" {
				used = append(used, fmt.Sprintf("%s is backing store %s/%s of the kernel's SCSI target", n, filepath.Base(filepath.Dir(at)), filepath.Base(at)))
				break
			}
		}
	}
	return used
}
