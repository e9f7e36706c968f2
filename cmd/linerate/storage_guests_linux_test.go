package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Storage goes over the protocols of the kernels between two guests, is compared, and nothing of it is left; a target that is gone in the middle is told.
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
		a := p.inGuests(t, "run", fabric, "--lab="+s.id, "--json")
		if a.code != exitDone {
			t.Fatalf("%s", a)
		}
		var r record.Run
		if err := json.Unmarshal([]byte(a.out), &r); err != nil {
			t.Fatal(err)
		}
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
		text, err := os.ReadFile(fabric)
		if err != nil {
			t.Fatal(err)
		}
		long := p.path("long.yaml")
		if err := os.WriteFile(long, []byte(strings.ReplaceAll(string(text), "time: 2s", "time: 30m")), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := p.command(t, "run", long, "--lab="+s.id, "--only", "iscsi", "--budget", "1h", "--json")
		over := make(chan answer, 1)
		go func() { over <- finishWithin(t, cmd, guestPatience) }()
		// The target is taken away when it has answered more commands than the file and the warm-up take.
		gone := p.inGuests(t, "lab", "exec", s.id+"/nas", "--", "sh", "-c", `i=0; while [ $i -lt 900 ]; do
n=$(cat /sys/kernel/config/target/core/*/*/statistics/scsi_lu/num_cmds 2>/dev/null); [ "${n:-0}" -gt 3000 ] && { for x in /sys/kernel/config/target/iscsi/iqn*/tpgt_1/enable; do echo 0 >$x; done; exit 0; }
i=$((i+1)); sleep 1; done; cat /sys/kernel/config/target/core/*/*/statistics/scsi_lu/num_cmds; exit 1`)
		if gone.code != 0 {
			t.Errorf("the target has no work: %s", gone)
		}
		a := <-over
		t.Logf("%s", a.err)
		if a.code != exitIncomplete || !strings.Contains(a.out+a.err, "into the window") {
			t.Errorf("a target that is gone: %s", a)
		}
		nothing(t)
	})
}
