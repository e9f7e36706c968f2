package lab

import (
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab/labtest"
)

func dialInit(t *testing.T, l *Lab) *net.UnixConn {
	t.Helper()
	c, err := net.Dial("unix", filepath.Join(l.dir, connect.LabSocketFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c.(*net.UnixConn)
}

// reaches reports whether a TCP connection from one host to an address of another opens. Where none should, it waits
// one second.
func reaches(t *testing.T, l *Lab, from, to, address string, should bool) bool {
	t.Helper()
	p := startIn(t, l.id+"/"+to, "/proc/self/exe", loadCommand, "pong", address+":7100", "again")
	defer func() {
		p.Kill()
		p.Wait()
	}()
	ping := func(host string, wait time.Duration) bool {
		_, code := run(t, l, host, "/proc/self/exe", loadCommand, "ping", address+":7100", "1ms", wait.String())
		return code == 0
	}
	if !ping(to, patience/2) {
		t.Fatalf("%s does not answer itself at %s", to, address)
	}
	wait := time.Second
	if should {
		wait = patience / 2
	}
	return ping(from, wait)
}

func TestSwitch(t *testing.T) {
	private(t)
	l := up(t, labtest.Star([]int{0, 0, 711, 711}, true), Options{Scale: 1})
	for _, c := range []struct {
		from, to, address string
		want              bool
	}{
		{"a", "b", "10.8.0.2", true},
		{"c", "d", "10.8.0.4", true},
		{"a", "c", "10.8.0.3", false}, // another VLAN of the switch
		{"vma", "a", "10.8.0.1", true},
		{"vma", "vmb", "10.8.0.102", true},
		{"vmc", "vmd", "10.8.0.104", true},
		{"vma", "d", "10.8.0.4", false},
	} {
		if got := reaches(t, l, c.from, c.to, c.address, c.want); got != c.want {
			t.Errorf("%s reaches %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
	// To a command, a switch is a host with its own ports only.
	out, code := run(t, l, "sw1", "sh", "-c", "ls /sys/class/net; hostname")
	if want := "lo sw1 sw1-v711 sw1.1 sw1.2 sw1.3 sw1.4 sw1"; code != 0 || strings.Join(strings.Fields(out), " ") != want {
		t.Errorf("switch sw1 shows %q (%d), want %q", out, code, want)
	}
}

func TestSettings(t *testing.T) {
	private(t)
	p := labtest.Pair(1e9, 1500)
	set := func(s ...plan.Setting) { p.Hosts[0].Settings = append(p.Hosts[0].Settings, s...) }
	gateway := p.Hosts[1].Ports[0].Address.Addr()
	set(plan.Setting{Kind: plan.SetSysctl, Key: "net.ipv4.tcp_rmem", Value: "4096 131072 6000000"},
		plan.Setting{Kind: plan.SetSysctl, Key: "net.ipv4.conf.nic1.arp_ignore", Value: "1"},
		plan.Setting{Kind: plan.SetSysctl, Key: "vm.swappiness", Value: "1"},
		plan.Setting{Kind: plan.SetSysctl, Key: "net/../vm/swappiness", Value: "1"},
		plan.Setting{Kind: plan.SetSysctl, Key: "net.core.no_such_key", Value: "1"},
		plan.Setting{Kind: plan.SetOffload, Interface: "nic1", Key: "tso", Value: "off"},
		plan.Setting{Kind: plan.SetOffload, Interface: "nic1", Key: "gro", Value: "on"},
		plan.Setting{Kind: plan.SetOffload, Interface: "nic1", Key: "lro", Value: "on"},
		plan.Setting{Kind: plan.SetRoute, Interface: "nic1", Prefix: netip.MustParsePrefix("10.77.0.0/16"), Address: gateway},
		plan.Setting{Kind: plan.SetVLAN, Interface: "nic1", Key: "nic1.711", Int: 711},
		plan.Setting{Kind: plan.SetAddress, Interface: "nic1.711", Prefix: netip.MustParsePrefix("10.71.1.1/24")},
		plan.Setting{Kind: plan.SetAddress, Interface: "nic1", Prefix: netip.MustParsePrefix("fd00:9::1/64")},
		plan.Setting{Kind: plan.SetQdisc, Interface: "nic1", Key: "no_such_qdisc"},
		plan.Setting{Kind: "colour", Interface: "nic1"})
	swappiness := readSysctl("/proc/sys/vm/swappiness")
	l := up(t, p, Options{Scale: 1})
	wantOutput(t, l, "a", "cat /proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t33554432")
	wantOutput(t, l, "a", "cat /proc/sys/net/ipv4/conf/nic1/arp_ignore", "1")
	if now := readSysctl("/proc/sys/vm/swappiness"); now != swappiness {
		t.Errorf("this machine's vm.swappiness is %s now", now)
	}
	if out, _ := run(t, l, "a", "cat", "/proc/net/route"); !strings.Contains(out, "nic1\t00004D0A\t0200090A") {
		t.Errorf("no route to 10.77.0.0 via 10.9.0.2:\n%s", out)
	}
	if out, _ := run(t, l, "a", "cat", "/proc/net/fib_trie"); !strings.Contains(out, "10.71.1.1") {
		t.Errorf("no address on the VLAN:\n%s", out)
	}
	if out, _ := run(t, l, "a", "cat", "/proc/net/if_inet6"); !strings.Contains(out, "fd000009000000000000000000000001") {
		t.Errorf("no IPv6 address:\n%s", out)
	}
	notes := strings.Join(l.Info.Emulated, "\n")
	for _, want := range []string{"host a: sysctl vm.swappiness=1: it is the whole machine's", "net/../vm/swappiness",
		"net.core.no_such_key", "offload lro on on nic1", "no_such_qdisc", `"colour"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("nothing says %q:\n%s", want, notes)
		}
	}
	for _, wrong := range []string{"tso", "gro on", "tcp_rmem", "arp_ignore"} {
		if strings.Contains(notes, wrong) {
			t.Errorf("%q is said not to be as planned:\n%s", wrong, notes)
		}
	}
}

// Where macvlan stands for a VLAN, its parent does not answer for its address.
func TestUntaggedVLAN(t *testing.T) {
	private(t)
	p := labtest.Pair(1e9, 1500)
	p.Hosts[0].Settings = append(p.Hosts[0].Settings,
		plan.Setting{Kind: plan.SetVLAN, Interface: "nic1", Key: "nic1.711", Int: 711})
	l := up(t, p, Options{Scale: 1})
	want := "0"
	if strings.Contains(strings.Join(l.Info.Emulated, "\n"), "carries no tag") {
		want = "1"
	}
	wantOutput(t, l, "a", "cat /proc/sys/net/ipv4/conf/nic1/arp_ignore", want)
}

func TestBond(t *testing.T) {
	private(t)
	p := labtest.Pair(1e9, 1500)
	for i, h := range p.Hosts {
		h.Settings = []plan.Setting{
			{Kind: plan.SetBond, Interface: "team", Key: "backup", Of: []string{"nic1"}},
			{Kind: plan.SetAddress, Interface: "team", Prefix: p.Hosts[i].Ports[0].Address},
		}
	}
	l := up(t, p, Options{Scale: 1})
	if !reaches(t, l, "a", "b", "10.9.0.2", true) {
		t.Error("the bonds do not reach each other")
	}
	if out, _ := run(t, l, "a", "ls", "/sys/class/net"); !strings.Contains(out, "team") {
		t.Errorf("no team: %s", out)
	}
}

// This only checks that forty hosts work. A benchmark checks the times.
func TestFortyHosts(t *testing.T) {
	private(t)
	p := labtest.Star(make([]int, 20), true)
	begin := time.Now()
	l := up(t, p, Options{Scale: 0.01})
	t.Logf("40 hosts were up after %v", time.Since(begin))
	if !reaches(t, l, "a", "vmt", "10.8.0.120", true) {
		t.Error("the first host does not reach the last virtual machine")
	}
}
