package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
)

// checked is what check says of a fabric in JSON, as "severity id subject".
func (s *spoiled) checked(t *testing.T, args ...string) (findings, unknown []string, code int) {
	t.Helper()
	a := s.linerate(t, append([]string{"check", "--json"}, args...)...)
	var r check.Result
	if err := json.Unmarshal([]byte(a.out), &r); err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	for _, f := range r.Findings {
		findings = append(findings, fmt.Sprintf("%s %s %s", f.Severity, f.ID, f.Subject))
		for _, x := range f.Explains {
			findings = append(findings, fmt.Sprintf("so %s %s", x.ID, x.Subject))
		}
	}
	for _, u := range r.Unknown {
		unknown = append(unknown, u.Subject+": "+u.Reason)
	}
	slices.Sort(findings)
	return findings, unknown, a.code
}

// In the lab: nothing is found in what is as planned, every spoiled thing is, and the captures say the same later.
func TestCheckInTheLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, mesh, p.path("mesh.yaml")), "0.1")
	file := p.path("mesh.yaml")
	findings, unknown, code := s.checked(t, file, "--lab", s.id)
	if code != exitDone || len(findings)+len(unknown) > 0 {
		t.Errorf("as planned: exit code %d, %q, %q", code, findings, unknown)
	}

	s.on(t, "homelab", "sh", "-c", "sysctl -q -w net.ipv4.tcp_rmem='4096 6144 6144'; ip link set t3p1 mtu 1400; ethtool -K t3p2 tso off gso off")
	s.on(t, "nas", "sh", "-c", "ip address add 10.0.2.1/24 dev t3p1; tc qdisc replace dev t3p2 root tbf rate 100mbit burst 32kb limit 100kb")
	s.on(t, "desktop", "sh", "-c", "ip route add 10.0.1.2/32 dev b; ip address add 10.0.1.77/24 dev b")
	s.manyRules(t, "desktop")
	want := []string{
		"error duplicate-address address 10.0.2.1",
		"error duplicate-subnet desktop: a and b",
		"error firewall-cost desktop: firewall",
		"error local-shaper nas: t3p2",
		"error mtu homelab: t3p1",
		"error offloads-off homelab: t3p2",
		"error receive-window-cap homelab: net.ipv4.tcp_rmem",
		"so mtu-black-hole desktop: to homelab (10.0.2.2)",
		"so mtu-black-hole homelab: to desktop (10.0.2.1)",
		"so wrong-nic desktop: to nas (10.0.1.2)",
	}
	if findings, _, code := s.checked(t, file, "--lab", s.id); code != exitMissed || !slices.Equal(findings, want) {
		t.Errorf("spoiled: exit code %d:\n%s\nwant:\n%s", code, strings.Join(findings, "\n"), strings.Join(want, "\n"))
	}
	if findings, _, code := s.checked(t, file, "--lab", s.id, "--only", "mtu,duplex"); code != exitMissed || len(findings) != 1 {
		t.Errorf("--only: exit code %d, %q", code, findings)
	}

	kept := p.path("captures")
	if a := s.linerate(t, "facts", file, "--lab", s.id, "-o", kept); a.code != exitDone {
		t.Fatalf("%s", a)
	}
	if findings, _, code := s.checked(t, file, "--captures", kept); code != exitMissed || !slices.Equal(findings, want) {
		t.Errorf("of the captures: exit code %d:\n%s", code, strings.Join(findings, "\n"))
	}
	findings, _, _ = s.checked(t, "--captures", kept) // without a plan
	if !slices.Contains(findings, want[0]) || slices.Contains(findings, want[4]) {
		t.Errorf("without the file: %q", findings)
	}
	if err := os.Rename(filepath.Join(kept, "nas.txtar"), filepath.Join(kept, "nobody.txtar")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept, "desktop.txtar"), []byte("\xff\xfe\x00 schema linerate/capture/9"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, unknown, _ = s.checked(t, file, "--captures", kept)
	for _, subject := range []string{"nobody.txtar: the fabric has no host and no switch nobody", "desktop.txtar: capture: ", "nas: there is no capture of it", "desktop: there is no capture of it"} {
		if !slices.ContainsFunc(unknown, func(u string) bool { return strings.Contains(u, subject) }) {
			t.Errorf("it does not say %q: %q", subject, unknown)
		}
	}
}

// Two cables of a mesh exchanged at one machine: all has a carrier and its address, and nobody answers.
func TestCheckOfExchangedCables(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, mesh, p.path("mesh.yaml")), "0.1")
	s.on(t, "nas", "sh", "-ec", `ip link set t3p1 down; ip link set t3p2 down
ip link set t3p1 name x; ip link set t3p2 name t3p1; ip link set x name t3p2
ip link set t3p1 up; ip link set t3p2 up
ip address flush dev t3p1; ip address flush dev t3p2
ip address add 10.0.1.2/24 dev t3p1; ip address add 10.0.3.1/24 dev t3p2`)
	// One finding a link. Which end has it hangs on whose probe ended: on a busy machine one may not have.
	findings, _, code := s.checked(t, p.path("mesh.yaml"), "--lab", s.id)
	for _, link := range [][]string{
		{"error no-answer desktop: to nas (10.0.1.2)", "error no-answer nas: to desktop (10.0.1.1)"},
		{"error no-answer nas: to homelab (10.0.3.2)", "error no-answer homelab: to nas (10.0.3.1)"},
	} {
		if slices.Contains(findings, link[0]) == slices.Contains(findings, link[1]) {
			t.Errorf("not one finding of %q: %q", link, findings)
		}
	}
	if code != exitMissed || len(findings) != 2 {
		t.Errorf("exit code %d: %q", code, findings)
	}
}

// What an ordinary user may not read is said, and what the machine does not have is not.
func TestCheckForbidden(t *testing.T) {
	f, err := facts.Parse([]byte("schema linerate/capture/1\nbytes 0\nhost a\nos linux\nunknown nft list ruleset: exit status 1: Operation not permitted (you must be root)\nunknown ethtool -m e1: this user may not read it (operation not permitted)\nunknown ethtool -a e1: the driver does not offer it (operation not supported)\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := forbidden("a", f)
	if len(got) != 2 || got[0].Subject != "a: nft list ruleset" || got[1].Subject != "a: ethtool -m e1" {
		t.Errorf("%+v", got)
	}
}

// facts of a fabric and check say the same of a host: what belongs to one machine on two interfaces is no duplicate of another's.
func TestFactsFindings(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, mesh, p.path("mesh.yaml")), "0.1")
	s.on(t, "nas", "ip", "link", "set", "t3p1", "mtu", "1400")
	a := s.linerate(t, "facts", p.path("mesh.yaml"), "--lab", s.id)
	machines := strings.Split(a.out, "\nnas: ")
	if a.code != exitDone || len(machines) != 2 {
		t.Fatal(a)
	}
	nas, homelab, _ := strings.Cut(machines[1], "\nhomelab: ")
	if !strings.Contains(nas, "(mtu)") || strings.Contains(homelab, "(mtu)") || !strings.Contains(homelab, "the checks find nothing") {
		t.Error(a)
	}
}

// What somebody kept by hand, in a folder of the host's name: recognised by name or content; what is not is said.
func TestCheckOfKeptFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "nas"), 0o700); err != nil {
		t.Fatal(err)
	}
	lost := "3f:00.0 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5] (rev ff) (prog-if ff)\n\t!!! Unknown header type 7f\n"
	for name, text := range map[string]string{"notes.txt": lost, "empty.txt": "\n", "wide.txt": "\xff\xfel\x00s", "other": "hello\n", "iptables-save.txt": "Permission denied\n"} {
		if err := os.WriteFile(filepath.Join(dir, "nas", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := call(t, nil, "check", "--captures", dir)
	if a.code != exitIncomplete { // an error was found, and not all was read
		t.Errorf("%s", a)
	}
	for _, want := range []string{"nas: 0000:3f:00.0", "(device-lost)", "empty.txt: it is empty", "wide.txt: it is UTF-16 and ends within a character", "other: neither its name nor its content"} {
		if !strings.Contains(unwrapped(a.out), want) {
			t.Errorf("it does not say %q: %s", want, a)
		}
	}
}

func TestCheckMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"check"}, []string{"name a fabric file", "--captures DIR"}},
		{[]string{"check", mesh, "--only", "mtv", "--captures", "x", "--lab", "y"}, []string{"mtv", "--list", "give one of them"}},
		{[]string{"check", "--captures", t.TempDir()}, []string{"there is no HOST.txtar in it and no folder HOST"}},
		{[]string{"check", mesh, "--captures", "nowhere"}, []string{"nowhere", "no such file"}},
		{[]string{"check", "--local", "--only", "mtu", "--skip", "mtu", "--junit", t.TempDir()}, []string{"leave no check", "it is a folder"}},
	} {
		a := call(t, nil, c.args...)
		if a.code != exitInput {
			t.Errorf("%q: exit code %d: %s", c.args, a.code, a)
		}
		for _, want := range c.says {
			if !strings.Contains(a.err, want) {
				t.Errorf("%q does not say %q: %s", c.args, want, a)
			}
		}
	}
	a := call(t, nil, "check", mesh)
	if a.code != exitIncomplete || !strings.Contains(a.out, "it has no reach in the file") || !strings.HasPrefix(a.out, "mesh-10g: no machine was looked at") || strings.Contains(a.out, "nothing found") {
		t.Errorf("hosts without a reach: %s", a)
	}
	if a := call(t, nil, "check", "--list"); a.code != exitDone || !strings.Contains(a.out, "wrong-nic") {
		t.Errorf("%s", a)
	}
}
