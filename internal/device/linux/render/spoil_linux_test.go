package render_test

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"linerate/internal/design/plan"
)

// TestVerifySeesWhatIsSpoiled: verify.sh names each changed setting and ends with 1; apply.sh restores it.
func TestVerifySeesWhatIsSpoiled(t *testing.T) {
	t.Parallel()
	p := withKinds(t)
	h := p.Hosts[0]
	w := newWorld(t)
	bonds := w.hasBonds(t)
	without(h, func(s plan.Setting) bool {
		made := s.Kind == plan.SetBond || s.Kind == plan.SetVLAN || s.Interface == "team" ||
			strings.HasSuffix(s.Interface, ".711")
		return made && !bonds || s.Kind == plan.SetQoS || s.Kind == plan.SetVFs
	})
	w.nics(t, h)
	w.put(t, rendered(t, p, h))
	before := w.all(t)
	apply := func() {
		t.Helper()
		w.exits(t, 0, "sh apply.sh")
		w.exits(t, 0, "sh verify.sh")
	}
	apply()
	// The changes of one round affect different settings, so one run of verify.sh must report exactly these.
	type spoiled struct{ spoil, want string }
	for _, round := range [][]spoiled{{
		{"ip link set dev cx3p1 mtu 1500", "not as planned: MTU of cx3p1 is 1500, planned 9000"},
		{"ip link set dev enp1s0f0np0 down", "not as planned: link enp1s0f0np0 is down, planned up"},
		{"ip address del fd00:60::1/64 dev cx6p1",
			"not as planned: address fd00:60::1/64 on cx6p1 is absent, planned present"},
		{"ip route del 10.78.0.0/16", "not as planned: route to 10.78.0.0/16 on cx3p1 is absent, planned present"},
		{"ip route del 10.77.0.0/16", "not as planned: route to 10.77.0.0/16 via 10.60.2.77 on cx3p1 is absent, planned " +
			"present"},
		{"sysctl -q -w net.ipv4.conf.all.arp_ignore=0",
			"not as planned: sysctl net.ipv4.conf.all.arp_ignore is 0, planned 1"},
		{"ethtool -K cx3p1 tso on", "not as planned: tcp-segmentation-offload of cx3p1 is on, planned off"},
		{"tc qdisc replace dev cx3p1 root bfifo", "not as planned: qdisc of cx3p1 is bfifo, planned pfifo"},
		{"sed -i 's/b-cx3-1/c-cx3-1/' hosts", "not as planned: name 10.60.2.2 b-cx3-1 is absent, planned present"},
	}, {
		{"ip route replace 10.78.0.0/16 via 10.60.2.78 dev cx3p1",
			"not as planned: route to 10.78.0.0/16 on cx3p1 is absent, planned present"},
		{"ip route replace 10.77.0.0/16 via 10.60.2.78", "not as planned: route to 10.77.0.0/16 via 10.60.2.77 on cx3p1"},
		{"sysctl -q -w net.ipv4.tcp_rmem='4096 1 6'",
			"not as planned: sysctl net.ipv4.tcp_rmem is 4096 1 6, planned 4096 131072 "},
		{"ethtool -K cx3p1 gro on", "not as planned: generic-receive-offload of cx3p1 is on, planned off"},
	}, {
		// The routes over its network disappear with the address.
		{"ip address del 10.60.2.1/24 dev cx3p1", "not as planned: address 10.60.2.1/24 on cx3p1 is absent, planned present"},
		{"true", "not as planned: route to 10.77.0.0/16 via 10.60.2.77 on cx3p1 is absent, planned present"},
		{"true", "not as planned: route to 10.78.0.0/16 on cx3p1 is absent, planned present"},
	}} {
		script := "set -e"
		for _, c := range round {
			script += "\n" + c.spoil
		}
		w.must(t, script)
		out, code := w.run(t, "sh verify.sh")
		if n := strings.Count(out, "not as planned: "); code != 1 || n != len(round) {
			t.Errorf("verify: exit %d, %d things are not as planned, %d were spoiled: %s", code, n, len(round), out)
		}
		for _, c := range round {
			if !strings.Contains(out, c.want) {
				t.Errorf("%s: verify: no %q: %s", c.spoil, c.want, out)
			}
		}
		apply()
	}
	// A hosts file that was changed since keeps the changes.
	w.must(t, "echo 10.1.1.1 mine >>hosts")
	w.exits(t, 0, "sh undo.sh", "was changed by somebody else")
	if got, err := os.ReadFile(w.dir + "/hosts"); err != nil ||
		string(got) != "127.0.0.1 localhost\n# no line's end behind this\n10.1.1.1 mine\n" {
		t.Errorf("hosts: %q, %v", got, err)
	}
	w.write(t, "hosts", "127.0.0.1 localhost\n# no line's end behind this")
	w.unchanged(t, before)
}

// TestOffloadsThatHangOnOthers: a requested offload that is off, because another that it depends on is off, is restored
// by undo.
func TestOffloadsThatHangOnOthers(t *testing.T) {
	t.Parallel()
	p := withKinds(t)
	h := p.Hosts[0]
	without(h, func(s plan.Setting) bool { return s.Kind != plan.SetOffload })
	w := worldOf(t, p, h)
	w.must(t, "ethtool -K cx3p1 tx off sg off")
	before := w.must(t, "ethtool -k cx3p1")
	if !strings.Contains(before, "generic-segmentation-offload: off [requested on]") {
		t.Fatalf("nothing hangs on another: %s", before)
	}
	for range 2 {
		w.exits(t, 0, "sh apply.sh")
		w.exits(t, 0, "ethtool -K cx3p1 tx on; sh undo.sh")
		if got := w.must(t, "ethtool -k cx3p1"); got != before {
			t.Errorf("after undo:\n%s", difference(strings.Split(before, "\n"), strings.Split(got, "\n")))
		}
	}
	// undo.sh names what it cannot restore.
	w.exits(t, 1, "sh apply.sh; sed -i 's/tx-nocache-copy\toff/rx-all\ton/; "+
		"s/generic-receive-offload\t.*/no-such-offload\ton/' state/before; sh undo.sh",
		"no-such-offload of cx3p1 was on and does not go back")
}

// TestManyNames: many names are verified by one checksum.
func TestManyNames(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	for i := range 100 {
		h.Names = append(h.Names, plan.Name{Address: netip.AddrFrom4([4]byte{10, 9, 0, byte(i)}),
			Names: []string{fmt.Sprintf("n%d", i)}})
	}
	w := worldOf(t, p, h)
	w.must(t, "sh apply.sh")
	w.exits(t, 0, "sh verify.sh", "ok checksum of the 102 lines of names in "+w.dir+"/hosts is")
	w.must(t, "sed -i s/n17/n18/ hosts")
	w.exits(t, 1, "sh verify.sh", "not as planned: checksum of the 102 lines of names")
}

// TestHalfABlock: a hosts file with half of a block is not changed.
func TestHalfABlock(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	w := worldOf(t, p, h)
	const half = "127.0.0.1 localhost\n# linerate begin mesh-10g\n10.9.9.9 precious\n"
	w.write(t, "hosts", half)
	out, code := w.run(t, "sh apply.sh")
	if code != 3 || !strings.Contains(out, "one of the marks of linerate without the other") {
		t.Errorf("exit %d: %s", code, out)
	}
	if got, _ := os.ReadFile(w.dir + "/hosts"); string(got) != half {
		t.Errorf("it was changed: %q", got)
	}
}

// TestUndoAfterAReboot: after a reboot the old settings are gone, and the names in the hosts file remain: undo removes
// them, also those of an earlier plan, and after another apply. An apply that fails restores the exact previous state.
func TestUndoAfterAReboot(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	w := worldOf(t, p, h)
	w.write(t, "hosts", "127.0.0.1 localhost\n")
	const names, mark = "grep -c 'desktop desktop-b' hosts", "# linerate begin mesh-10g\n"
	const none = "127.0.0.1 localhost\n"
	hosts := func(want string) {
		t.Helper()
		if got, _ := os.ReadFile(w.dir + "/hosts"); string(got) != want {
			t.Errorf("hosts: %q, want %q", got, want)
		}
	}
	for _, after := range []string{"true", "sh apply.sh", "sed -i s/desktop-b/desktop-x/ hosts; sh apply.sh",
		"sh apply.sh; sh apply.sh"} {
		w.run(t, "sh apply.sh; rm -r state; "+after)
		w.must(t, names)
		if out, code := w.run(t, "sh undo.sh"); code != 0 || after == "true" &&
			!strings.Contains(out, "the plan's names are taken out of "+w.dir+"/hosts") {
			t.Errorf("%s: exit %d: %s", after, code, out)
		}
		hosts(none)
		w.exits(t, 0, "ls state; sh undo.sh", "nothing to undo")
	}

	w.run(t, "sh apply.sh; rm -r state; sed -i s/desktop-b/desktop-x/ hosts")
	before := w.must(t, "cat hosts")
	w.exits(t, 0, "sh undo.sh --since-boot", "nothing to undo")
	hosts(before)
	for _, somebody := range []string{"", "10.1.1.1 mine\n"} {
		w.run(t, "sh apply.sh")
		w.must(t, names+"; printf '"+somebody+"' >>hosts")
		w.exits(t, 0, "sh undo.sh --since-boot")
		hosts(strings.Replace(before, mark, somebody+mark, 1))
	}

	// Half a block is not removed.
	const half = "127.0.0.1 localhost\n" + mark + "10.9.9.9 precious\n"
	w.write(t, "hosts", half)
	w.exits(t, 1, "sh undo.sh",
		"take the lines out by hand, from '# linerate begin mesh-10g' to '# linerate end mesh-10g'")
	hosts(half)
}

// TestNobodyListens: the change may cut the script's connection. Then its output is not read, and its terminal is gone.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	for _, shell := range []string{"sh", "busybox sh"} {
		w := worldOf(t, p, h)
		w.must(t, "("+shell+" apply.sh 2>&1; echo $? >code) | true; sleep 0.1; while [ ! -s code ]; do sleep 0.1; done")
		if code := w.must(t, "cat code"); code != "0\n" && code != "3\n" {
			t.Errorf("%s: exit %s", shell, code)
		}
		if out, code := w.run(t, shell+" verify.sh"); code == 1 {
			t.Errorf("%s: verify: exit %d: %s", shell, code, out)
		}
		w.exits(t, 0, shell+" undo.sh >&- 2>&-")
	}
}

// TestStopsInTheMiddle: a setting that fails stops the script with its reason, and undo restores the changes until
// then.
func TestStopsInTheMiddle(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	h.Settings = append(h.Settings, plan.Setting{Kind: plan.SetMTU, Interface: h.Ports[0].Interface, Int: 70000,
		Why: "too large"})
	w := worldOf(t, p, h)
	before := w.all(t)
	w.exits(t, 1, "sh apply.sh",
		"failed: ip link set dev t3p1 mtu 70000; stopped here. sh undo.sh undoes what was done")
	w.exits(t, 0, "sh undo.sh")
	w.unchanged(t, before)
}
