package facts

import (
	"slices"
	"testing"
)

func TestStorageOfAGuest(t *testing.T) {
	f := load(t, "storage.guest.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	s := f.Storage
	if d := s.Drives; len(d) != 2 || d[0].Model != "QEMU NVMe Ctrl" || d[0].Transport != "nvme" || d[0].Size.Or(0) != 1<<30 || d[0].Rotates.Or(true) {
		t.Errorf("drives %+v", d)
	}
	if c := f.nvme("nvme1"); len(s.NVMe) != 2 || c.Transport != "tcp" || c.Queues.Or(0) != 1 || c.Target.String() != "127.0.0.1:4420" || c.Subsystem != "nqn.2026-11.example:t1" || c.State != "live" || c.Model != "Linux" {
		t.Errorf("controllers %+v", s.NVMe)
	}
	if len(s.Arrays) != 5 {
		t.Fatalf("arrays %+v", s.Arrays)
	}
	for _, c := range []struct {
		n, disks, use int
		doing         string
		rebuilding    bool
		faulty        []string
	}{
		{0, 2, 1, "", false, nil}, {1, 2, 1, "recovery", true, nil}, {2, 2, 2, "resync", true, nil}, {3, 2, 1, "", false, []string{"ram2"}}, {4, 2, 2, "check", false, nil},
	} {
		a := s.Arrays[c.n]
		if a.Disks != c.disks || a.InUse != c.use || a.Doing != c.doing || a.Rebuilding() != c.rebuilding || !slices.Equal(a.Faulty, c.faulty) || !a.Active || a.Source != "proc/mdstat" {
			t.Errorf("%+v", a)
		}
	}
	if a := s.Arrays[1]; a.Done.Or(0) != 0.032 || a.Work.Line != "[>....................] recovery = 3.2% (640/15360) finish=0.7min speed=320K/sec" || a.Level != "raid1" || a.Line != "15360 blocks super 1.2 [2/1] [U_]" {
		t.Errorf("%+v", a)
	}
	if len(s.Pools) != 2 {
		t.Fatalf("pools %+v", s.Pools)
	}
	p, lost := s.Pools[0], s.Pools[1]
	if p.Doing != "resilver" || p.Work.Line != "scan: resilver in progress since Sun Jul 25 16:07:49 2010, 104M resilvered, 11.09% done, 00:00:16 to go" || p.Lost.Line != "" || p.State != "DEGRADED" {
		t.Errorf("%+v", p)
	}
	if lost.Doing != "" || lost.State != "UNAVAIL" || lost.Lost.Line != "errors: Permanent errors have been detected in the following files:" || lost.Lost.Source != "zpool status" {
		t.Errorf("%+v", lost)
	}
}

// Other forms: an array that waits, that is stopped, of a level without redundancy; releases of lsblk whose values are words; what is none of it.
func TestStorageForms(t *testing.T) {
	arrays, err := parseMdstat([]byte("Personalities : [raid6] [raid5] [raid4]\nmd127 : inactive sdb1[1](S) sda1[0](S)\n      1953260976 blocks super 1.2\n\nmd126 : inactive sde[0](S)\n      5032 blocks super external:imsm\n\n" +
		"md0 : active raid0 sdc[1] sdd[0]\n      100 blocks super 1.2 512k chunks\n\nmd3 : active (auto-read-only) raid1 sda3[0] sdb3[1]\n      100 blocks [2/2] [UU]\n      \tresync=PENDING\n\nunused devices: <none>\n"))
	if err != nil || len(arrays) != 4 || arrays[0].Active || arrays[0].Level != "" || arrays[0].Container || !arrays[1].Container || arrays[2].Disks != 0 || arrays[2].Level != "raid0" || arrays[3].Doing != "resync=PENDING" || arrays[3].Rebuilding() {
		t.Errorf("%v %+v", err, arrays)
	}
	if arrays, err := parseMdstat([]byte("Personalities : \nunused devices: <none>\n")); err != nil || arrays == nil || len(arrays) != 0 {
		t.Errorf("%v %v", err, arrays)
	}
	for _, text := range []string{"", "cat: /proc/mdstat: No such file or directory\n"} {
		if _, err := parseMdstat([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	drives, err := parseLsblk([]byte(`{"blockdevices": [{"name": "sda", "rota": "1", "type": "disk", "size": "931.5G"}, {"name": "loop0", "type": "loop"}]}`))
	if err != nil || len(drives) != 1 || drives[0].Size.IsKnown() || !drives[0].Rotates.Or(false) {
		t.Errorf("%v %+v", err, drives)
	}
	// As a server prints it (shape: linux/hosts/stelline-puget-wrx90).
	drives, err = parseLsblk([]byte("NAME                      MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINTS\nnvme0n1                   259:0    0 931.5G  0 disk\n└─md127                     9:127  0   7.3T  0 raid0 /mnt/nvme-raid\n" +
		"sr0  11:0 1 1024M 0 rom\nnvme6n1                   259:2    0   1.9T  0 disk\n├─nvme6n1p1               259:9    0     1G  0 part  /boot/efi\n"))
	if err != nil || len(drives) != 2 || drives[0].Name != "nvme0n1" || drives[1].Name != "nvme6n1" || drives[0].Size.IsKnown() {
		t.Errorf("%v %+v", err, drives)
	}
	// Columns that are not named are not guessed.
	for _, text := range []string{"32212254720 /          xvda\n  134217728 [SWAP]     xvdb\n", "NAME SIZE\nsda 3G\n", ""} {
		if drives, err := parseLsblk([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, drives)
		}
	}
}

func FuzzMdstat(f *testing.F) {
	fuzz(f, "proc/mdstat", parseMdstat, func(t *testing.T, v []Array) {
		for _, a := range v {
			if a.Name == "" || a.Line == "" || a.Done.Or(0) < 0 || a.Done.Or(0) > 1 {
				t.Fatal(a)
			}
		}
	})
}
func FuzzLsblk(f *testing.F) { fuzz(f, "lsblk", parseLsblk, nil) }
