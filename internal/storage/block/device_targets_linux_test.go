package block

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A device that the kernel itself exports is in use, though it has no holder and no process has it open. The files are
// as nvmet's and LIO's of Linux 6.1.
func TestExportedDevices(t *testing.T) {
	config := t.TempDir()
	for path, text := range map[string]string{
		"nvmet/subsystems/nqn.test/namespaces/1/device_path": "/dev/sdb\n",
		"nvmet/subsystems/nqn.test/namespaces/1/enable":      "1\n",
		"nvmet/subsystems/nqn.test/namespaces/2/device_path": "/dev/sdb\n",
		"nvmet/subsystems/nqn.test/namespaces/2/enable":      "0\n",
		"target/core/iblock_0/disk/info": "Status: ACTIVATED  Max Queue Depth: 128  SectorSize: 512  HwMaxSectors: " +
			"2048\n        iBlock device: sdb  UDEV PATH: /dev/sdb  readonly: 0\n        Major: 8 Minor: 16  CLAIMED: " +
			"IBLOCK\n",
		"target/core/iblock_0/disk/udev_path": "/dev/sdb\n",
		"target/core/fileio_1/file/info": "Status: ACTIVATED  Max Queue Depth: 0  SectorSize: 512\n        TCM " +
			"FILEIO ID: 0        File: /dev/sdb  Size: 1073741824  Mode: O_DSYNC Async: 0\n",
		"target/core/fileio_1/other/info": "TCM FILEIO ID: 1        File: /srv/image  Size: 1073741824\n",
	} {
		at := filepath.Join(config, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := exportedDevices(config, func(path string) string { return map[string]string{"/dev/sdb": "sdb"}[path] })
	want := []string{"sdb is exported over NVMe-oF as namespace 1 of nqn.test",
		"sdb is backing store fileio_1/file of the kernel's SCSI target",
		"sdb is backing store iblock_0/disk of the kernel's SCSI target"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := exportedDevices(t.TempDir(), func(string) string { return "sda" }); len(got) > 0 {
		t.Errorf("without targets: %q", got)
	}
}
