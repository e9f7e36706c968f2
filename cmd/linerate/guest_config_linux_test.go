package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/facts"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// The rendered folder in a machine with an operating system: the scripts with a bond and a VLAN, which this machine's
// kernel may not have, and the files of each network manager after a reboot. Each time a neighbour answers over both.
func TestGuestConfig(t *testing.T) {
	needGuests(t, testenv.Long)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/system-config.yaml", p.path("system-config.yaml"))
	s, info := guestLab(t, p, fabric)
	if len(info.Guests) != 2 || info.Guests[0].Failed != "" || info.Guests[1].Failed != "" ||
		info.Guests[0].System != "systemd" {
		t.Fatalf("the lab: %+v", info)
	}
	t.Logf("boot %.1f s, KVM %v", info.Guests[0].Boot, info.Guests[0].KVM)
	// Each runs many programs on an emulated CPU, in addition to the other work of this machine.
	slow := func(args ...string) answer { t.Helper(); return finishWithin(t, p.command(t, args...), guestPatience) }
	sh := func(script string) (string, int) {
		t.Helper()
		a := slow("lab", "exec", s.id+"/whole", "--", "sh", "-c", "cd /root && { "+script+"; } 2>&1")
		return a.out, a.code
	}
	// folder renders the host for a network manager and puts its folder into the guest.
	folder := func(manager string) {
		t.Helper()
		text := testenv.Must(os.ReadFile(fabric))(t)
		file := p.path(manager + ".yaml")
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "network: networkd", "network: "+manager, 1)),
			0o644); err != nil {
			t.Fatal(err)
		}
		dir := p.path("config-" + manager)
		p.linerate(t, "config", file, "-o", dir).ends(t, 0)
		sh("rm -rf config; mkdir config")
		testenv.Check(t, filepath.WalkDir(filepath.Join(dir, "whole"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(filepath.Join(dir, "whole"), path)
			cmd := p.command(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c",
				`mkdir -p "/root/config/$(dirname "$0")" && cat >"/root/config/$0"`, name)
			cmd.Stdin = strings.NewReader(string(b))
			finish(t, cmd).ends(t, 0)
			return nil
		}))
	}
	// network is the state of the planned settings, without what changes by itself and without the metrics that
	// NetworkManager adds to its routes.
	network := func() []string {
		t.Helper()
		out, code := sh(`ip -o -d link | sed 's/^[0-9]*: //' | grep -v '^lo\|^bonding_masters' | awk '{ m = "-"; k = ""; for (i = 1; i < NF; i++) { if ($i == "mtu") u = $(i+1); if ($i == "master") m = $(i+1); if ($i == "mode") k = $(i+1); if ($i == "primary") k = k " prefers " $(i+1); if ($i == "802.1Q") k = "VLAN " $(i+2) } print "link", $1, u, m, k, ($2 ~ /[<,]UP[,>]/) }'
ip -o address | grep -v ' lo \| fe80:' | awk '{ print "address", $2, $4 }'; ip route | awk '{ print "route", $1, $2, $3 }'
for k in net.ipv4.tcp_rmem net.ipv4.conf.all.arp_ignore; do sysctl $k; done; ethtool -k other | grep generic-receive`)
		if code != 0 {
			t.Fatalf("snapshot: %s", out)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		slices.Sort(lines) // interfaces are in the order of their creation
		return lines
	}
	// reached requires that the neighbour answers over the VLAN, whose tags its own kernel removes, and over the bond.
	reached := func() {
		t.Helper()
		for _, address := range []string{"10.71.7.2", "10.71.9.2"} {
			if out, code := sh("ping -c 1 -W 60 " + address); code != 0 {
				t.Errorf("thin does not answer at %s: exit %d: %s", address, code, out)
			}
		}
	}
	verified := func(want int) {
		t.Helper()
		if out, code := sh("cd config && sh verify.sh"); code != want {
			t.Errorf("verify: exit %d, want %d: %s", code, want, out)
		}
	}

	folder("networkd")
	planned := network() // the lab's own settings
	if all := strings.Join(planned, "\n"); !strings.Contains(all, "link other.711@other: 9000 - VLAN 711 1") ||
		!strings.Contains(all, "link team: 9000 - active-backup prefers cardp1 1") {
		t.Fatalf("the lab's settings:\n%s", all)
	}
	verified(0)
	reached()

	// The neighbour's programs are in memory, so apply installs nothing there.
	if a := slow("apply", fabric, "thin", "--in-lab", s.id, "--persist"); a.code != cli.ExitRefused ||
		!strings.Contains(a.err, "thin: refused: nothing that is installed on this host outlives a reboot: its files are "+
			"in memory") {
		t.Errorf("%s", a)
	}

	t.Run("scripts", func(t *testing.T) {
		if out, code := sh("ip link del dev team && ip link del dev other.711 && for n in cardp1 cardp2 other; do ip " +
			"address flush dev $n; ip link set dev $n down; ip link set dev $n mtu 1500; done; " +
			"sysctl -q -w net.ipv4.tcp_rmem='4096 131072 6291456' net.ipv4.conf.all.arp_ignore=0; for n in cardp1 cardp2 " +
			"other; do ethtool -K $n gro on; done; true"); code != 0 {
			t.Fatal(out)
		}
		before := network()
		verified(1)
		for range 2 {
			if out, code := sh("cd config && sh apply.sh"); code != 0 {
				t.Fatalf("apply: exit %d: %s", code, out)
			}
			verified(0)
			if got := network(); !slices.Equal(got, planned) {
				t.Errorf("the lab and the script differ:\n%s\n\n%s", strings.Join(planned, "\n"), strings.Join(got, "\n"))
			}
		}
		reached()
		if out, code := sh("ip link del dev other.711 && ip link add link other name other.711 type vlan id 12 && cd " +
			"config && sh verify.sh"); code != 1 ||
			!strings.Contains(out, "not as planned: VLAN of other.711 is 12, planned 711") {
			t.Errorf("verify of another VLAN: exit %d: %s", code, out)
		}
		if out, code := sh("ip link set dev cardp2 nomaster && cd config && sh verify.sh"); code != 1 ||
			!strings.Contains(out, "not as planned: bond of cardp2 is none, planned team") {
			t.Errorf("verify of a member that left: exit %d: %s", code, out)
		}
		if out, code := sh("cd config && sh undo.sh"); code != 0 {
			t.Fatalf("undo: exit %d: %s", code, out)
		}
		if got := network(); !slices.Equal(got, before) {
			t.Errorf("after undo:\n%s\n\n%s", strings.Join(before, "\n"), strings.Join(got, "\n"))
		}
	})

	for _, manager := range []string{"networkd", "netplan", "networkmanager", "ifupdown"} {
		t.Run(manager, func(t *testing.T) {
			folder(manager)
			switch { // apply installs, too: after the settings, and where there is nothing to set
			case manager == "networkd" || manager == "netplan":
				says := map[string]string{"networkd": "whole: applied; ",
					"netplan": "whole: as planned, nothing is to change\n"}[manager]
				if a := slow("apply", p.path(manager+".yaml"), "whole", "--in-lab", s.id, "--persist", "-o",
					p.path("undo-"+manager)); a.code != 0 || !strings.Contains(a.out, says) ||
					!strings.Contains(a.out, "are installed") {
					t.Fatalf("%s", a)
				}
			default:
				if out, code := sh("cd config && sh install.sh"); code != 0 {
					t.Fatalf("install: exit %d: %s", code, out)
				}
			}
			a := slow("lab", "reboot", s.id+"/whole", "--json").ends(t, 0)
			var out lab.Rebooted
			testenv.Check(t, json.Unmarshal([]byte(a.out), &out))
			t.Logf("back after %.1f s: %v, notes %q", out.Seconds, out.Files, out.Notes)
			if len(out.Files) == 0 || len(out.Notes) > 0 {
				t.Errorf("%+v", out)
			}
			verified(0)
			reached()
			if got := network(); !slices.Equal(got, planned) {
				t.Errorf("after a reboot:\n%s\n\n%s", strings.Join(planned, "\n"), strings.Join(got, "\n"))
			}
			if out, code := sh("systemctl is-active linerate-nic.service; systemctl --failed --no-legend"); code != 0 ||
				out != "active\n" {
				t.Errorf("the unit: %s", out)
			}
			if out, code := sh("cd config && sh install.sh --undo >/dev/null; ls -d /etc/linerate " +
				"/etc/systemd/network/*linerate* /etc/netplan/*linerate* /etc/NetworkManager/system-connections/*linerate* " +
				"/etc/network/interfaces.d/*linerate* /etc/sysctl.d/*linerate* 2>/dev/null | grep linerate"); code != 1 {
				t.Errorf("install.sh --undo leaves: %s", out)
			}
		})
	}
}

// Two guests create the planned bond, and LACP aggregates both cables.
func TestBondOfGuests(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	fabric := copyFile(t, "../../examples/exam-guests.yaml", p.path("exam-guests.yaml"))
	s, info := guestLab(t, p, fabric, "--variant", "bonded", "--guests")
	if len(info.Guests) != 2 || info.Guests[0].Failed != "" || info.Guests[1].Failed != "" || len(info.Shaped) != 2 {
		t.Fatalf("the lab: %+v", info)
	}
	for end := time.Now().Add(2 * time.Minute); ; { // LACP negotiation takes a while
		a := p.linerate(t, "lab", "exec", s.id+"/host1", "--", "ping", "-c", "1", "-W", "5", "10.9.1.2")
		if a.code == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("host2 does not answer over the bond: %s", a)
		}
	}
	a := p.linerate(t, "facts", fabric, "--in-lab", s.id, "--json")
	var out struct {
		Hosts []struct {
			Host  string
			Facts *facts.Facts
		}
	}
	if err := json.Unmarshal([]byte(a.out), &out); err != nil || len(out.Hosts) != 2 {
		t.Fatalf("%v: %s", err, a)
	}
	for _, h := range out.Hosts {
		nic := h.Facts.NIC("team")
		if nic == nil || nic.Bond == nil || !strings.Contains(nic.Bond.Mode, "802.3ad") ||
			nic.Bond.Hash.Or("") != "layer3+4" || len(nic.Bond.Members) != 2 {
			t.Fatalf("%s: %+v", h.Host, nic)
		}
		for _, m := range nic.Bond.Members {
			if !nic.Bond.Carries(m) {
				t.Errorf("%s: %+v is not in use (aggregator %s)", h.Host, m, nic.Bond.Aggregator)
			}
		}
	}
}
