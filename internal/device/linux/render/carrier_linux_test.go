package render_test

import (
	"strconv"
	"strings"
	"testing"
)

// TestVerifySeesTheCable: verify.sh finds a missing cable, a link that is too slow, and a driver that reports no speed.
func TestVerifySeesTheCable(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	w := worldOf(t, p, h)
	w.run(t, "sh apply.sh")
	verify := func(want int, says ...string) {
		t.Helper()
		for _, shell := range []string{"sh", "busybox sh"} {
			out, code := w.run(t, shell+" verify.sh")
			if code != want {
				t.Errorf("exit %d, want %d: %s", code, want, out)
			}
			for _, s := range says {
				if !strings.Contains(out, s) {
					t.Errorf("no %q: %s", s, out)
				}
			}
		}
	}
	verify(0, "ok carrier of t3p1 is there", "ok: the speed of t3p1 is not asked, because it is not a port of a NIC",
		"in all: as planned, 14 of 14")

	far := func(state string) { w.must(t, "nsenter -t $FAR -n ip link set dev far0 "+state) }
	w.env = append(w.env, "FAR="+strconv.Itoa(w.far))
	far("down")
	verify(3, "ok link t3p1 is up", "missing: carrier of t3p1: it is up, and there is no signal on cable C2 to "+
		"desktop.b. Is the cable in at both ends", "ok carrier of t3p2 is there",
		"in all: what could be read is as planned; 1 of 14 are missing or not known")
	w.must(t, "ip link set dev t3p2 mtu 1400")
	verify(1, "missing: carrier of t3p1", "not as planned: MTU of t3p2 is 1400", "in all: NOT as planned: 2 of 14")
	w.must(t, "ip link set dev t3p2 mtu 1500; ip link set dev t3p1 down")
	verify(1, "not as planned: link t3p1 is down, planned up")
	far("up")
	w.run(t, "sh apply.sh")

	// With NICs: the reports of their driver.
	for name, bus := range map[string]string{"t3p1": "0000:01:00.0", "t3p2": "0000:01:00.0"} {
		w.write(t, "sys/devices/"+bus+"/vendor", "0x1425\n")
		w.write(t, "sys/devices/"+bus+"/device", "0x0036\n")
		w.write(t, "sys/class/net/"+name+"/speed", "10000\n")
		w.must(t, "mkdir -p sys/bus/pci; ln -sfn ../../bus/pci sys/devices/"+bus+"/subsystem; "+
			"ln -sfn ../../../devices/"+bus+" sys/class/net/"+name+"/device")
	}
	w.env = append(w.env, "LINERATE_SYS="+w.dir+"/sys")
	verify(0, "ok speed of t3p1 (Mbit/s) is 10000", "in all: as planned, 16 of 16")
	w.write(t, "sys/class/net/t3p1/speed", "25000\n")
	verify(0, "ok speed of t3p1 (Mbit/s) is 25000")
	w.write(t, "sys/class/net/t3p1/speed", "1000\n")
	verify(3, "missing: speed of t3p1: it is 1000 Mbit/s, planned 10000, on cable C2 to desktop.b")
	w.write(t, "sys/class/net/t3p1/speed", "-1\n")
	verify(3, "not known: speed of t3p1, because its driver says none; planned 10000 Mbit/s",
		"in all: what could be read is as planned; 1 of 16")
}
