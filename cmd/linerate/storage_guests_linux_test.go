package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"linerate/result"
)

// Storage goes over the protocols of the kernels between two guests, is compared, and nothing of it is left; a target that is gone in the middle is told. By hand, for
// it boots two machines:
//
//	LINERATE_TEST_STORAGE=1 LINERATE_TEST_GUEST=1 go test ./cmd/linerate -run TestStorageOfGuests
func TestStorageOfGuests(t *testing.T) {
	if os.Getenv("LINERATE_TEST_STORAGE") != "1" {
		t.Skip("LINERATE_TEST_STORAGE=1 boots two guests")
	}
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
		a := p.linerate(t, "run", fabric, "--lab="+s.id, "--json")
		if a.code != exitDone {
			t.Fatalf("%s", a)
		}
		var r result.Run
		if err := json.Unmarshal([]byte(a.out), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Experiments) != 4 {
			t.Fatalf("%d experiments", len(r.Experiments))
		}
		for _, e := range r.Experiments {
			w := e.Block.Workers[0]
			t.Logf("%s: %v MB/s, %+v, %+v", e.Name, e.Bytes, *w.Export, *w.Verified)
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
		if err := os.WriteFile(long, []byte(strings.ReplaceAll(string(text), "time: 2s", "time: 40s")), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := p.command(t, "run", long, "--lab="+s.id, "--only", "iscsi", "--budget", "60s", "--json")
		over := make(chan answer, 1)
		go func() { over <- finishWithin(t, cmd, 5*time.Minute) }()
		// The target is taken away some seconds after it is there.
		s.on(t, "nas", "sh", "-c", `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
for x in /sys/kernel/config/target/iscsi/iqn*/tpgt_1/enable; do [ -e $x ] && { sleep 10; echo 0 >$x; exit 0; }; done; sleep 1; done; exit 1`)
		a := <-over
		t.Logf("%s", a.err)
		if a.code != exitIncomplete || !strings.Contains(a.out+a.err, "into the window") {
			t.Errorf("a target that is gone: %s", a)
		}
		nothing(t)
	})
}
