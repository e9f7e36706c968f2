package nvmetcp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// The test binary also runs in a namespace of the lab: as a target until its input ends, or as an initiator.
func TestMain(m *testing.M) {
	if role := os.Getenv("NVMETCP_ROLE"); role != "" {
		err := map[string]func(...string) error{"target": roleTarget, "initiator": roleInitiator}[role](os.Args[1:]...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const roleNQN = "nqn.2026-11.test.linerate:"

// roleTarget exports a file of blocks of 512 bytes, and memory of blocks of 4096.
func roleTarget(args ...string) error {
	f, err := OpenFile(args[1], true)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	fmt.Println("ready")
	return (&Target{Subsystems: []Subsystem{{NQN: roleNQN + "file", Backing: f}, {NQN: roleNQN + "memory",
		Backing: NewMemory(f.Size()), BlockSize: 4096}},
		Log: func(s string) { fmt.Fprintln(os.Stderr, s) }}).Serve(ctx, ln)
}

// roleInitiator writes and reads at random over the whole of a drive, and prints its properties and the expected
// checksum.
func roleInitiator(args ...string) error {
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	a, err := ParseAddress(args[0])
	if err != nil {
		return err
	}
	digests := len(args) > 1
	wrong := a
	wrong.NQN += "-wrong"
	if _, err := Connect(ctx, wrong, Options{}); err == nil || !strings.Contains(err.Error(), "it has: "+a.NQN) {
		return fmt.Errorf("a name that is not there: %v", err)
	}
	c, err := Connect(ctx, a, Options{Write: true, HeaderDigest: digests, DataDigest: digests, Timeout: time.Minute})
	if err != nil {
		return err
	}
	defer c.Close()
	i := c.Info()
	if i.HeaderDigest != digests || i.DataDigest != digests {
		return errors.New("digests are not as asked for")
	}
	q, err := c.Queue(16)
	if err != nil {
		return err
	}
	defer q.Close()
	size := int(i.Namespace.Size())
	if _, err := c.Queue(1); err != nil { // in addition to the first
		return err
	}
	want := random(uint64(len(args)), size)
	got := make([]byte, size)
	// Sizes below and above that of a capsule, up to the limit of one command.
	sizes := []int{512, 4096, 8192, 12288, 65536, 262144}
	for _, write := range []bool{true, false} {
		b := want
		if !write {
			b = got
		}
		at, n, k := 0, 0, 0
		free := make([]int, q.Depth())
		for slot := range free {
			free[slot] = slot
		}
		for at < size || n > 0 {
			for at < size && len(free) > 0 {
				part := min(sizes[k%len(sizes)], size-at, i.MaxTransfer)
				k++
				if err := q.Submit(free[0], write, int64(at), b[at:at+part]); err != nil {
					return err
				}
				free = free[1:]
				at += part
				n++
			}
			done, err := q.Wait(1, time.Now().Add(time.Minute))
			if err != nil {
				return err
			}
			for _, d := range done {
				if d.Err != nil {
					return d.Err
				}
				free = append(free, d.Slot)
				n--
			}
		}
		if write {
			if err := q.Sync(0); err != nil {
				return err
			}
			if done, err := q.Wait(1, time.Now().Add(time.Minute)); err != nil || len(done) != 1 || done[0].Err != nil {
				return fmt.Errorf("flush: %v %v", done, err)
			}
		}
	}
	if !bytes.Equal(got, want) {
		return errors.New("what was read is not what was written")
	}
	i.Namespaces = nil
	fmt.Printf("%x %+v\n", md5.Sum(want), i)
	return nil
}

// Both ends against the kernel's, in a guest.
func TestGuestKernel(t *testing.T) {
	testenv.Need(t, testenv.Guest)
	if _, err := exec.LookPath("qemu-system-x86_64"); err != nil {
		testenv.Missing(t, "qemu-system-x86_64")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "nt") // short: it contains sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	exe := filepath.Join(folder, "program") // the folder linerate is for labs
	build := exec.Command("go", "build", "-buildvcs=false", "-o", exe, "./cmd/linerate")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0") // a guest has no libc
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	linerate := func(args ...string) (string, error) {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
		defer stop()
		cmd := exec.CommandContext(ctx, exe, args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+folder)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
		}
		return string(out), err
	}
	out, err := linerate("lab", "up", "testdata/guest.yaml", "--scale", "0.05", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		ID     string
		Guests []struct{ Failed string }
	}
	if err := json.Unmarshal([]byte(out), &info); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := linerate("lab", "down", info.ID); err != nil {
			t.Error(err)
		}
	})
	if len(info.Guests) != 1 || info.Guests[0].Failed != "" {
		t.Fatalf("no guest here: %s", out)
	}
	on := func(t *testing.T, host, line string) string {
		t.Helper()
		out, err := linerate("lab", "exec", info.ID+"/"+host, "--", "sh", "-c", "set -e\n"+line)
		if err != nil {
			t.Fatalf("%s: %v\n%s", host, err, out)
		}
		return strings.TrimSpace(out)
	}
	address := func(host string) string {
		return on(t, host, `ip -4 -o addr show scope global | sed -n 's|.* inet \([0-9.]*\)/.*|\1|p' | head -n 1`)
	}
	thin, whole := address("thin"), address("whole")
	const size = 4 << 20
	drive := filepath.Join(folder, "drive")
	if err := os.WriteFile(drive, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}

	t.Run("kernel's initiator", func(t *testing.T) {
		cmd := exec.Command(exe, "lab", "exec", info.ID+"/thin", "--", "env", "NVMETCP_ROLE=target", self, thin+":4420",
			drive)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+folder)
		var said bytes.Buffer
		cmd.Stderr = &said
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		ready, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(ready).ReadString('\n'); line != "ready\n" {
			t.Fatalf("the target: %q, %v, %s", line, err, said.String())
		}
		t.Cleanup(func() {
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Errorf("the target: %v", err)
			}
			t.Logf("the target's log: %s", said.String())
		})
		on(t, "whole",
			`modprobe nvme-tcp; mkdir -p /etc/nvme; u=$(cat /proc/sys/kernel/random/uuid); echo nqn.2014-08.org.nvmexpress:uuid:$u >/etc/nvme/hostnqn; echo $u >/etc/nvme/hostid`)
		found := on(t, "whole", "nvme discover -t tcp -a "+thin+" -s 4420")
		for _, name := range []string{"file", "memory"} {
			if !strings.Contains(found, "subnqn:  "+roleNQN+name) || !strings.Contains(found, "traddr:  "+thin) {
				t.Errorf("nvme discover: %s", found)
			}
		}
		for _, c := range []struct{ name, flags string }{{"file", ""}, {"file", "--hdr-digest --data-digest"}, {"memory",
			"-i 2"}, {"memory", "--hdr-digest --data-digest"}} {
			// 4 KiB are sent in capsules, 64 and 256 KiB on request; reads have sizes other than the writes.
			got := on(t, "whole", `nvme connect -t tcp -a `+thin+` -s 4420 -n `+roleNQN+c.name+` `+c.flags+` >/dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do at=$(ls /dev/nvme*n1 2>/dev/null | head -n 1); [ -b "$at" ] && break; sleep 0.2; done
[ -b "$at" ] || { dmesg | tail -n 20 >&2; exit 1; }
dd if=/dev/urandom of=/tmp/data bs=1M count=4 2>/dev/null
dd if=/tmp/data of=$at bs=4k count=256 oflag=direct conv=notrunc 2>/dev/null
dd if=/tmp/data of=$at bs=64k skip=16 seek=16 count=16 oflag=direct conv=notrunc 2>/dev/null
dd if=/tmp/data of=$at bs=256k skip=8 seek=8 count=8 oflag=direct conv=notrunc 2>/dev/null
sync; echo 3 >/proc/sys/vm/drop_caches
for bs in 4 64 1024; do dd if=$at bs=${bs}k iflag=direct 2>/dev/null | cmp - /tmp/data && echo same $bs; done
nvme id-ctrl $at | grep -E '^(mn|subnqn|mdts|ioccsz|maxcmd) ' >&2
dd if=$at of=/dev/null bs=4k 2>/dev/null; blockdev --getss $at 2>/dev/null || true
md5sum </tmp/data | cut -d ' ' -f 1
n=${at#/dev/}; cat /sys/class/nvme/${n%n1}/state; nvme disconnect -n `+roleNQN+c.name+` >/dev/null; rm /tmp/data`)
			t.Logf("%s %s: %s", c.name, c.flags, strings.ReplaceAll(got, "\n", ", "))
			if strings.Count(got, "same ") != 3 || !strings.Contains(got, "live") {
				t.Errorf("%s %s: what the kernel wrote is not what it reads: %s\n%s", c.name, c.flags, got,
					on(t, "whole", "dmesg | tail -n 20"))
			}
			if c.name == "file" {
				b, err := os.ReadFile(drive)
				if err != nil {
					t.Fatal(err)
				}
				if sum := fmt.Sprintf("%x", md5.Sum(b)); !strings.Contains(got, sum) {
					t.Errorf("%s %s: the file has %s, the kernel wrote %s", c.name, c.flags, sum, got)
				}
			}
		}
		if log := on(t, "whole", "dmesg"); strings.Contains(log, "nvme nvme0: I/O") &&
			strings.Contains(log, "timeout") {
			t.Errorf("the kernel waited in vain: %s", log)
		}
	})

	t.Run("kernel's target", func(t *testing.T) {
		on(
			t,
			"whole",
			fmt.Sprintf(
				`modprobe brd rd_nr=1 rd_size=%d; modprobe -a nvmet nvmet-tcp; grep -q ' /sys/kernel/config ' /proc/mounts || mount -t configfs c /sys/kernel/config
cd /sys/kernel/config/nvmet
mkdir subsystems/lab; echo 1 >subsystems/lab/attr_allow_any_host
mkdir subsystems/lab/namespaces/1; echo /dev/ram0 >subsystems/lab/namespaces/1/device_path; echo 1 >subsystems/lab/namespaces/1/enable
mkdir ports/1; echo tcp >ports/1/addr_trtype; echo ipv4 >ports/1/addr_adrfam; echo %s >ports/1/addr_traddr; echo 4420 >ports/1/addr_trsvcid
ln -s /sys/kernel/config/nvmet/subsystems/lab ports/1/subsystems/lab`,
				size>>10,
				whole,
			),
		)
		for _, digests := range []string{"", " digests"} {
			said := on(t, "thin", "NVMETCP_ROLE=initiator "+self+" nvme-tcp://"+whole+":4420/lab"+digests)
			t.Logf("%s%s", said, digests)
			if sum := on(t, "whole",
				"echo 3 >/proc/sys/vm/drop_caches; md5sum </dev/ram0 | cut -d ' ' -f 1"); sum != strings.Fields(said)[0] {
				t.Errorf("the kernel's drive has %s, and was written %s", sum, said)
			}
		}
	})
}
