package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// A machine with an operating system: its own configuration files, and a reboot for each, in one life of the machine.
func TestGuestSystem(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/system.yaml", p.path("system.yaml"))
	s, info := guestLab(t, p, fabric)
	if len(info.Guests) != 1 || info.Guests[0].Failed != "" || info.Guests[0].System != "systemd" ||
		len(info.Shaped) != 2 {
		t.Fatalf("the lab: %+v", info)
	}
	t.Logf("boot %.1f s, KVM %v", info.Guests[0].Boot, info.Guests[0].KVM)
	put := func(file, text string) {
		t.Helper()
		cmd := p.command(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c", "umask 077; cat > "+file)
		cmd.Stdin = strings.NewReader(text)
		finish(t, cmd).ends(t, 0)
	}
	reboot := func() (out lab.Rebooted) {
		t.Helper()
		before := s.on(t, "whole", "cat", "/proc/sys/kernel/random/boot_id")
		a := p.inGuests(t, "lab", "reboot", s.id+"/whole", "--json").ends(t, 0)
		testenv.Check(t, json.Unmarshal([]byte(a.out), &out))
		if s.on(t, "whole", "cat", "/proc/sys/kernel/random/boot_id") == before {
			t.Fatal("it is the same boot")
		}
		t.Logf("back after %.1f s: %v, notes %q", out.Seconds, out.Files, out.Notes)
		return out
	}
	nic := func(name string, wants ...string) {
		t.Helper()
		got := s.on(t, "whole", "ip", "-d", "addr", "show", "dev", name)
		testenv.Contains(t, name, got, wants...)
	}
	pings := func(address string) {
		t.Helper()
		a := p.linerate(t, "measure", "latency", "--from", "lab "+s.id+"/thin1", "--to", "lab "+s.id+"/whole", "--to-address",
			address, "--time", "1s", "--repeats", "1", "--json").ends(t, cli.ExitDone)
		if e := a.run(t).Experiments[0]; e.Latency == nil || e.Latency.Count == 0 || !e.Emulated {
			t.Errorf("ping %s: %+v", address, e)
		}
	}

	t.Run("the lab's settings", func(t *testing.T) {
		nic("cardp1", "mtu 1500", "inet 10.0.1.1/24")
		if got := s.on(t, "whole", "cat", "/proc/1/comm", "/etc/hostname"); got != "systemd\nwhole\n" {
			t.Errorf("process 1 and the name: %q", got)
		}
		pings("10.0.1.1")
	})

	t.Run("systemd-networkd", func(t *testing.T) {
		put("/etc/systemd/network/10-card.link", "[Match]\nMACAddress="+strings.TrimSpace(s.on(t, "whole", "cat",
			"/sys/class/net/cardp1/address"))+"\n\n[Link]\nMTUBytes=9000\n")
		put("/etc/systemd/network/20-card.network", "[Match]\nName=cardp1\n\n[Network]\nAddress=10.0.1.77/24\nVLAN=tagged\n")
		put("/etc/systemd/network/20-tagged.netdev", "[NetDev]\nName=tagged\nKind=vlan\n\n[VLAN]\nId=7\n")
		put("/etc/systemd/network/20-tagged.network", "[Match]\nName=tagged\n\n[Network]\nAddress=10.0.7.1/24\n")
		finish(t, p.command(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c",
			"chmod 644 /etc/systemd/network/*")).ends(t, 0)
		if out := reboot(); len(out.Files) != 4 || len(out.Notes) != 0 {
			t.Errorf("%+v", out)
		}
		nic("cardp1", "mtu 9000", "inet 10.0.1.77/24", "qdisc tbf")
		nic("tagged", "inet 10.0.7.1/24", "vlan protocol 802.1Q id 7")
		if got := s.on(t, "whole", "ip", "addr"); strings.Contains(got, "10.0.1.1/24") ||
			strings.Contains(got, "10.0.2.1/24") {
			t.Errorf("the lab has set addresses in addition to the files: %s", got)
		}
		if got := s.on(t, "whole", "networkctl", "status", "cardp1", "--no-pager"); !strings.Contains(got,
			"/etc/systemd/network/20-card.network") || !strings.Contains(got, "/etc/systemd/network/10-card.link") {
			t.Errorf("it does not say whose doing it is: %s", got)
		}
		pings("10.0.1.77")
	})

	t.Run("NetworkManager", func(t *testing.T) {
		s.on(t, "whole", "sh", "-c", "rm /etc/systemd/network/*; umask 077; nmcli --offline connection add type ethernet "+
			"con-name card ifname cardp1 ipv4.method manual "+
			"ipv4.addresses 10.0.1.88/24 ipv6.method link-local 802-3-ethernet.mtu 9000 > "+
			"/etc/NetworkManager/system-connections/card.nmconnection")
		if out := reboot(); len(out.Files) != 1 || len(out.Notes) != 0 {
			t.Errorf("%+v", out)
		}
		nic("cardp1", "mtu 9000", "inet 10.0.1.88/24")
		if got := s.on(t, "whole", "nmcli", "-t", "-f", "DEVICE,STATE,CONNECTION", "device"); !strings.Contains(got,
			"cardp1:connected:card\n") {
			t.Errorf("nmcli device: %s", got)
		}
		pings("10.0.1.88")
	})

	t.Run("netplan", func(t *testing.T) {
		s.on(t, "whole", "sh", "-c", "rm /etc/NetworkManager/system-connections/*")
		put("/etc/netplan/10-lab.yaml", "network:\n  version: 2\n  ethernets: {cardp1: {}, cardp2: {mtu: 9000}}\n  "+
			"bonds:\n    team: {interfaces: [cardp1], parameters: {mode: active-backup}, addresses: [10.0.1.99/24]}\n")
		s.on(t, "whole", "netplan", "generate")
		if got := s.on(t, "whole", "cat", "/run/systemd/network/10-netplan-team.network"); !strings.Contains(got,
			"Address=10.0.1.99/24") {
			t.Errorf("netplan generate: %s", got)
		}
		if out := reboot(); len(out.Files) != 1 || len(out.Notes) != 0 {
			t.Errorf("%+v", out)
		}
		nic("team", "inet 10.0.1.99/24", "bond mode active-backup")
		nic("cardp2", "mtu 9000")
		pings("10.0.1.99")
	})

	t.Run("reboot by itself", func(t *testing.T) {
		before := s.on(t, "whole", "cat", "/proc/sys/kernel/random/boot_id")
		cmd := p.command(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c", "rm /etc/netplan/*; sync; reboot -f")
		finish(t, cmd) // the system may be gone before it reports its end
		for end := time.Now().Add(guestPatience); ; time.Sleep(200 * time.Millisecond) {
			a := p.linerate(t, "lab", "exec", s.id+"/whole", "--", "cat", "/proc/sys/kernel/random/boot_id")
			if a.code == 0 && a.out != before {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("it is not back: %s", a)
			}
		}
		nic("cardp1", "inet 10.0.1.1/24") // no file any more: the lab's settings
	})

	t.Run("refused", func(t *testing.T) {
		for host, want := range map[string]string{"thin1": "host thin1 is a namespace and cannot reboot\nhelp: write " +
			"guest: systemd", "nobody": "has no host \"nobody\"\nnote: its hosts are "} {
			if a := p.linerate(t, "lab", "reboot", s.id+"/"+host); a.code != cli.ExitInput || !strings.Contains(a.err, want) {
				t.Errorf("reboot %s: %s", host, a)
			}
		}
	})

	t.Run("does not come back", func(t *testing.T) {
		s.on(t, "whole", "sh", "-c", "rm /usr/lib/systemd/systemd; sync")
		a := p.inGuests(t, "lab", "reboot", s.id+"/whole")
		if a.code == 0 || !strings.Contains(a.err, "the last lines of its console") ||
			!strings.Contains(a.err, "start /usr/lib/systemd/systemd") {
			t.Errorf("want what its console said: %s", a)
		}
		p.linerate(t, "lab", "exec", s.id+"/thin1", "--", "true").ends(t, 0)
	})

	p.linerate(t, "lab", "down", s.id).ends(t, 0)
	p.atMost(t, 0, 5*time.Second)
	if left, err := os.ReadDir("/var/tmp"); err == nil {
		for _, e := range left {
			if strings.HasPrefix(e.Name(), "vl.") {
				t.Errorf("QEMU's file of the disk has a name: /var/tmp/%s", e.Name())
			}
		}
	}
}
