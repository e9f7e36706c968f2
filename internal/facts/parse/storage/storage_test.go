package storage

import (
	"testing"
)

// TestStorageForms reads other forms: an array that waits, is stopped, or has no redundancy; releases of lsblk whose
// values are words; and other texts.
func TestStorageForms(t *testing.T) {
	arrays, err := parseMdstat([]byte("Personalities : [raid6] [raid5] [raid4]\nmd127 : inactive sdb1[1](S) " +
		"sda1[0](S)\n      1953260976 blocks super 1.2\n\nmd126 : inactive sde[0](S)\n      5032 blocks super " +
		"external:imsm\n\n" +
		"md0 : active raid0 sdc[1] sdd[0]\n      100 blocks super 1.2 512k chunks\n\nmd3 : active (auto-read-only) raid1 " +
		"sda3[0] sdb3[1]\n      100 blocks [2/2] [UU]\n      \tresync=PENDING\n\nunused devices: <none>\n"))
	if err != nil || len(arrays) != 4 || arrays[0].Active || arrays[0].Level != "" || arrays[0].Container ||
		!arrays[1].Container || arrays[2].Disks != 0 || arrays[2].Level != "raid0" || arrays[3].Doing != "resync=PENDING" ||
		arrays[3].Rebuilding() {
		t.Errorf("%v %+v", err, arrays)
	}
	if arrays, err := parseMdstat([]byte("Personalities : \nunused devices: <none>\n")); err != nil || arrays == nil ||
		len(arrays) != 0 {
		t.Errorf("%v %v", err, arrays)
	}
	for _, text := range []string{"", "cat: /proc/mdstat: No such file or directory\n"} {
		if _, err := parseMdstat([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	drives, err := parseLsblk(
		[]byte(`{"blockdevices": [{"name": "sda", "rota": "1", "type": "disk", "size": "931.5G"}, {"name": "loop0", "type": "loop"}]}`),
	)
	if err != nil || len(drives) != 1 || drives[0].Size.IsKnown() || !drives[0].Rotates.Or(false) {
		t.Errorf("%v %+v", err, drives)
	}
	// A server's output (form: linux/hosts/stelline-puget-wrx90).
	drives, err = parseLsblk([]byte("NAME                      MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINTS\nnvme0n1         " +
		"          259:0    0 931.5G  0 disk\n└─md127                     9:127  0   7.3T  0 raid0 /mnt/nvme-raid\n" +
		"sr0  11:0 1 1024M 0 rom\nnvme6n1                   259:2    0   1.9T  0 disk\n├─nvme6n1p1               259:9    " +
		"0     1G  0 part  /boot/efi\n"))
	if err != nil || len(drives) != 2 || drives[0].Name != "nvme0n1" || drives[1].Name != "nvme6n1" ||
		drives[0].Size.IsKnown() {
		t.Errorf("%v %+v", err, drives)
	}
	// Columns without names are not guessed.
	for _, text := range []string{"32212254720 /          xvda\n  134217728 [SWAP]     xvdb\n", "NAME SIZE\nsda 3G\n",
		""} {
		if drives, err := parseLsblk([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, drives)
		}
	}
}
