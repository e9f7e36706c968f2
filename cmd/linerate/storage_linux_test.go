package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/lab/fault"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// Storage over the kernels' protocols between two guests is verified, and nothing of it is left; a target that vanishes
// in the middle is reported.
func TestStorageOfGuests(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	fabric := copyFile(t, "../../examples/storage-guests.yaml", p.path("storage-guests.yaml"))
	s, info := guestLab(t, p, fabric)
	if len(info.Guests) != 2 || info.Guests[0].Failed != "" || info.Guests[1].Failed != "" {
		t.Fatalf("the lab: %+v", info)
	}
	nothing := func(t *testing.T) {
		t.Helper()
		for host, line := range map[string]string{
			"nas": `ls /sys/kernel/config/target/iscsi 2>/dev/null | grep iqn; ls /sys/kernel/config/target/core 2>/dev/null | grep fileio; ls /sys/kernel/config/nvmet/subsystems /sys/kernel/config/nvmet/ports /sys/kernel/config/nvmet/hosts 2>/dev/null | grep -v :
grep -v '^0$' /proc/fs/nfsd/threads; pidof ksmbd.mountd; pidof rpc.mountd; grep linerate /proc/mounts; ls -d /tmp/linerate-* /var/tmp/linerate-* 2>/dev/null`,
			"pc": `ls /sys/class/iscsi_session /sys/class/nvme 2>/dev/null | grep -v :; pidof iscsid; grep linerate /proc/mounts; ls -d /tmp/linerate-* 2>/dev/null`,
		} {
			if left := strings.TrimSpace(s.on(t, host, "sh", "-c", line+"\ntrue")); left != "" {
				t.Errorf("%s: it is left: %s", host, left)
			}
		}
	}
	nothing(t)

	t.Run("compared", func(t *testing.T) {
		a := p.inGuests(t, "run", fabric, "--in-lab="+s.id, "--json").ends(t, cli.ExitDone)
		var r record.Run
		testenv.Check(t, json.Unmarshal([]byte(a.out), &r))
		if len(r.Experiments) != 4 {
			t.Fatalf("%d experiments", len(r.Experiments))
		}
		for _, e := range r.Experiments {
			if e.Block == nil {
				t.Errorf("%s: %s%s", e.Name, e.Failed, e.NotRun)
				continue
			}
			w := e.Block.Workers[0]
			if w.Export == nil || !w.Export.Kernel || w.Export.Instead != "" || w.Export.Protocol != e.Settings["transport"] {
				t.Errorf("%s: %+v", e.Name, w.Export)
			}
			if v := w.Verified; v == nil || v.Right == 0 || v.ReadBack == 0 || v.Wrong+v.Unknown != 0 {
				t.Errorf("%s: %+v", e.Name, v)
			}
		}
		nothing(t)
	})

	t.Run("gone", func(t *testing.T) {
		text := testenv.Must(os.ReadFile(fabric))(t)
		long := p.path("long.yaml")
		testenv.WriteFile(t, long, []byte(strings.ReplaceAll(string(text), "time: 2s", "time: 30m")), 0o600)
		cmd := p.command(t, "run", long, "--in-lab="+s.id, "--experiments", "iscsi", "--budget", "1h", "--json")
		over := make(chan answer, 1)
		go func() { over <- finishWithin(t, cmd, guestPatience) }()
		// The target is removed after more commands than the file and the warm-up need.
		gone := p.inGuests(t, "lab", "exec", s.id+"/nas", "--", "sh", "-c", `i=0; while [ $i -lt 900 ]; do
n=$(cat /sys/kernel/config/target/core/*/*/statistics/scsi_lu/num_cmds 2>/dev/null); [ "${n:-0}" -gt 3000 ] && { for x in /sys/kernel/config/target/iscsi/iqn*/tpgt_1/enable; do echo 0 >$x; done; exit 0; }
i=$((i+1)); sleep 1; done; cat /sys/kernel/config/target/core/*/*/statistics/scsi_lu/num_cmds; exit 1`)
		if gone.code != 0 {
			t.Errorf("the target has no work: %s", gone)
		}
		a := <-over
		t.Logf("%s", a.err)
		if a.code != cli.ExitIncomplete || !strings.Contains(a.out+a.err, "into the interval") {
			t.Errorf("a target that is gone: %s", a)
		}
		nothing(t)
	})
}

// Drives of a namespace are exported by their own protocol where the programs for it are installed, and verified; for
// other protocols there is a substitute, and the record has the reason.
func TestStorageByPrograms(t *testing.T) {
	t.Parallel()
	needLab(t)
	for _, program := range []string{"/usr/sbin/tgtd", "/usr/bin/qemu-storage-daemon", "/usr/bin/nbdkit",
		"/usr/bin/nbdfuse"} {
		if _, err := os.Stat(program); err != nil {
			missing(t, program)
		}
	}
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		t.Skip(err) // no package helps
	} else {
		f.Close()
	}
	p := newPlace(t)
	fabric := copyFile(t, "testdata/storage-programs.yaml", p.path("storage-programs.yaml"))
	a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.05", "-o", p.path("run"), "--json")
	var r record.Run
	if err := json.Unmarshal([]byte(a.out), &r); err != nil || len(r.Experiments) != 4 {
		t.Fatalf("%v: %s", err, a)
	}
	for _, e := range r.Experiments {
		if e.Name == "large" {
			if !strings.Contains(e.NotRun, "span 1 GiB is more than the size of lun, 8 MiB") {
				t.Errorf("a span larger than the drive: %q", e.NotRun)
			}
			continue
		}
		if e.Block == nil {
			t.Errorf("%s: %s%s", e.Name, e.Failed, e.NotRun)
			continue
		}
		w := e.Block.Workers[0]
		if e.Name == "smb" {
			if x := w.Export; x == nil || x.Protocol != "nvme-tcp" || x.Instead != "smb" ||
				!strings.Contains(x.Because, "is a namespace") || w.Way != "nvme-tcp" {
				t.Errorf("smb: %+v", x)
			}
			if text := strings.Join(e.Repeats[0].Warnings, "\n"); !strings.Contains(text, "replaces smb here") {
				t.Errorf("smb: %s", text)
			}
			continue
		}
		if x := w.Export; x == nil || x.Protocol != e.Name || x.Instead != "" || x.Kernel ||
			!strings.Contains(x.Client, "nbdfuse") {
			t.Errorf("%s: %+v", e.Name, x)
		}
		if v := w.Verified; v == nil || v.Right == 0 || v.Wrong+v.Unknown != 0 || w.Way != "threads" ||
			!strings.HasPrefix(w.FileSystem, "fuse") {
			t.Errorf("%s: %+v, way %s on %s", e.Name, v, w.Way, w.FileSystem)
		}
	}
	shown := p.linerate(t, "report", p.path("run"), "--all")
	if !strings.Contains(shown.out, "iscsi from 10.") ||
		!strings.Contains(shown.out, "software at both ends, in user space") {
		t.Errorf("the report does not say how the storage was got at: %s", shown.out)
	}
}

// Storage over a network on a drive that the lab made, with a slow host, link and drive: every part is made and undone,
// and each run keeps the counters of its two ends. Recorded runs (package explain) and internal/lab/exam/live test the
// verdicts.
func TestStorageVerdicts(t *testing.T) {
	t.Parallel()
	needLab(t)
	if !lab.MayDrive() || !lab.MayQuota() {
		testenv.Missing(t, "loop devices, and control groups of version 1 that limit drives and CPUs")
	}
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/storage.yaml", p.path("storage.yaml"), "warmup: 500ms", "warmup: 0s"), "0.3")
	at := &fault.Place{Sender: fault.End{Host: "nas"}, Source: "/var/tmp/source", Rate: 100e6, Program: p.program(t),
		Exec: func(host, script string) (string, error) {
			return strings.TrimSpace(s.on(t, host, "sh", "-c", script)), nil
		}}
	at.Drive()
	fault.Find("slow-drive").Make(at, fault.Values{"share": 0.5})
	if at.Err != nil {
		t.Fatal(at.Err)
	}
	asks := &fault.Place{Sender: fault.End{Host: "pc"}, Program: at.Program, Exec: at.Exec}
	group := func() string {
		return strings.TrimSpace(s.on(t, "pc", "sh", "-c", "grep cpu, /proc/self/cgroup || grep :cpu: /proc/self/cgroup"))
	}
	was := group()
	fault.Find("cpu-quota").Make(asks, fault.Values{"cores": 0.25, "end": 1})
	if asks.Err != nil {
		t.Fatal(asks.Err)
	}
	if now := group(); now == was || !strings.Contains(now, lab.QuotaPrefix) {
		t.Errorf("the control group of pc is %q, before it was %q", now, was)
	}
	s.on(t, "nas", "tc", "qdisc", "replace", "dev", "fast", "root", "tbf", "rate", "200mbit", "burst", "128kb", "limit",
		"1mb")
	a := p.linerate(t, "run", s.fabric, "--in-lab="+s.id, "--experiments", "near", "--json", "-o", p.path("run"))
	if a.code != cli.ExitDone {
		t.Fatal(a)
	}
	x := a.run(t).Experiments[0]
	if x.Verdict == nil || x.Bytes == nil || x.Block == nil || x.Block.Read == nil || len(x.Block.Hosts) != 2 {
		t.Errorf("verdict %+v, bytes %+v, block %+v", x.Verdict, x.Bytes, x.Block)
	}
	for _, host := range []string{"pc", "nas"} {
		if all, _ := filepath.Glob(filepath.Join(p.path("run"), runfolder.SnapshotsName, host+".*")); len(all) == 0 {
			t.Errorf("no snapshot of %s", host)
		}
	}
	asks.Back()
	if now := group(); asks.Err != nil || now != was {
		t.Errorf("undone: %v: the control group of pc is %q, before it was %q", asks.Err, now, was)
	}
}
