package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/cli/inspect"
	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
	"linerate/internal/testenv"
)

// checked is the result of check --json for a fabric, as "severity id subject".
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

// In the lab a planned state has no findings, every fault has one, and the snapshots give the same findings later.
func TestCheckInTheLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, mesh, p.path("mesh.yaml")), "0.1")
	file := p.path("mesh.yaml")
	findings, unknown, code := s.checked(t, file, "--in-lab", s.id)
	if code != cli.ExitDone || len(findings)+len(unknown) > 0 {
		t.Errorf("as planned: exit code %d, %q, %q", code, findings, unknown)
	}

	s.on(t, "homelab", "sh", "-c", "sysctl -q -w net.ipv4.tcp_rmem='4096 6144 6144'; ip link set t3p1 mtu 1400; "+
		"ethtool -K t3p2 tso off gso off")
	s.on(t, "nas", "sh", "-c", "ip address add 10.0.2.1/24 dev t3p1; tc qdisc replace dev t3p2 root tbf rate 100mbit "+
		"burst 32kb limit 100kb")
	s.on(t, "desktop", "sh", "-c", "ip route add 10.0.1.2/32 dev b; ip address add 10.0.1.77/24 dev b")
	s.manyRules(t, "desktop")
	want := []string{"error duplicate-address address 10.0.2.1", "error duplicate-subnet desktop: a and b",
		"error firewall-cost desktop: firewall", "error local-shaper nas: t3p2", "error mtu homelab: t3p1",
		"error offloads-off homelab: t3p2", "error receive-window-cap homelab: net.ipv4.tcp_rmem",
		"so mtu-black-hole desktop: to homelab (10.0.2.2)", "so mtu-black-hole homelab: to desktop (10.0.2.1)",
		"so wrong-nic desktop: to nas (10.0.1.2)"}
	if findings, _, code := s.checked(t, file, "--in-lab", s.id); code != cli.ExitMissed || !slices.Equal(findings, want) {
		t.Errorf("spoiled: exit code %d:\n%s\nwant:\n%s", code, strings.Join(findings, "\n"), strings.Join(want, "\n"))
	}
	if findings, _, code := s.checked(t, file, "--in-lab", s.id, "--checks", "mtu,duplex"); code != cli.ExitMissed ||
		len(findings) != 1 {
		t.Errorf("--checks: exit code %d, %q", code, findings)
	}

	kept := p.path("snapshots")
	s.linerate(t, "facts", file, "--in-lab", s.id, "-o", kept).ends(t, cli.ExitDone)
	if findings, _, code := s.checked(t, file, "--snapshots", kept); code != cli.ExitMissed ||
		!slices.Equal(findings, want) {
		t.Errorf("of the snapshots: exit code %d:\n%s", code, strings.Join(findings, "\n"))
	}
	findings, _, _ = s.checked(t, "--snapshots", kept) // without a plan
	if !slices.Contains(findings, want[0]) || slices.Contains(findings, want[4]) {
		t.Errorf("without the file: %q", findings)
	}
	testenv.Check(t, os.Rename(filepath.Join(kept, "nas.txtar"), filepath.Join(kept, "unplanned.txtar")))
	if err := os.WriteFile(filepath.Join(kept, "desktop.txtar"), []byte("\xff\xfe\x00 schema linerate/snapshot/9"),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, unknown, _ = s.checked(t, file, "--snapshots", kept)
	for _, subject := range []string{"unplanned.txtar: the fabric has no host and no switch unplanned",
		"desktop.txtar: snapshot: ", "nas: there is no snapshot of it", "desktop: there is no snapshot of it"} {
		if !slices.ContainsFunc(unknown, func(u string) bool { return strings.Contains(u, subject) }) {
			t.Errorf("it does not say %q: %q", subject, unknown)
		}
	}
}

// Two cables of a mesh are swapped at one machine: every port has a carrier and its address, but no neighbour answers.
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
	// There is one finding a link. Which end has it depends on which probe completed, as one may fail on a busy machine.
	findings, _, code := s.checked(t, p.path("mesh.yaml"), "--in-lab", s.id)
	for _, link := range [][]string{
		{"error no-answer desktop: to nas (10.0.1.2)", "error no-answer nas: to desktop (10.0.1.1)"},
		{"error no-answer nas: to homelab (10.0.3.2)", "error no-answer homelab: to nas (10.0.3.1)"},
	} {
		if slices.Contains(findings, link[0]) == slices.Contains(findings, link[1]) {
			t.Errorf("not one finding of %q: %q", link, findings)
		}
	}
	if code != cli.ExitMissed || len(findings) != 2 {
		t.Errorf("exit code %d: %q", code, findings)
	}
}

// Facts that an ordinary user may not read are reported; facts that the machine does not have are not.
func TestCheckForbidden(t *testing.T) {
	f, err := read.Parse([]byte("schema linerate/snapshot/1\nbytes 0\nhost a\nos linux\nunknown nft list ruleset: exit " +
		"status 1: Operation not permitted (you must be root)\nunknown ethtool -m e1: this user may not read it " +
		"(operation not permitted)\nunknown ethtool -a e1: the driver does not offer it (operation not supported)\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := inspect.Forbidden("a", f)
	if len(got) != 2 || got[0].Subject != "a: nft list ruleset" || got[1].Subject != "a: ethtool -m e1" {
		t.Errorf("%+v", got)
	}
}

// facts of a fabric and check agree about a host: an address on two interfaces of one machine is not a duplicate of
// another machine's.
func TestFactsFindings(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, mesh, p.path("mesh.yaml")), "0.1")
	s.on(t, "nas", "ip", "link", "set", "t3p1", "mtu", "1400")
	a := s.linerate(t, "facts", p.path("mesh.yaml"), "--in-lab", s.id)
	machines := strings.Split(a.out, "\nnas: ")
	if a.code != cli.ExitDone || len(machines) != 2 {
		t.Fatal(a)
	}
	nas, homelab, _ := strings.Cut(machines[1], "\nhomelab: ")
	if !strings.Contains(nas, "(mtu)") || strings.Contains(homelab, "(mtu)") ||
		!strings.Contains(homelab, "the checks find nothing") {
		t.Error(a)
	}
}

// Files saved by hand, in a folder with the host's name, are recognised by name or content; others are reported.
func TestCheckOfKeptFiles(t *testing.T) {
	dir := t.TempDir()
	testenv.Check(t, os.Mkdir(filepath.Join(dir, "nas"), 0o700))
	lost := "3f:00.0 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5] (rev ff) (prog-if " +
		"ff)\n\t!!! Unknown header type 7f\n"
	for name, text := range map[string]string{"notes.txt": lost, "empty.txt": "\n", "wide.txt": "\xff\xfel\x00s",
		"other": "hello\n", "iptables-save.txt": "Permission denied\n"} {
		testenv.WriteFile(t, filepath.Join(dir, "nas", name), []byte(text), 0o600)
	}
	a := call(t, nil, "check", "--snapshots", dir)
	if a.code != cli.ExitIncomplete { // an error was found, and some files were not read
		t.Errorf("%s", a)
	}
	testenv.Contains(t, a, unwrapped(a.out), "nas: 0000:3f:00.0", "(device-lost)", "empty.txt: it is empty",
		"wide.txt: it is UTF-16 and ends within a character", "other: neither its name nor its content")
}

func TestCheckErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"check"}, []string{"missing FABRIC.yaml, --snapshots DIR"}},
		{[]string{"check", mesh, "--checks", "mtv", "--snapshots", "x", "--in-lab", "y"},
			[]string{`no check is called "mtv"`, "did you mean mtu?", "give one of them"}},
		{[]string{"check", "--snapshots", t.TempDir()}, []string{"there is no HOST.txtar in it and no folder HOST"}},
		{[]string{"check", mesh, "--snapshots", "nowhere"}, []string{"nowhere", "no such file"}},
		{[]string{"check", "--local", "--checks", "mtu", "--skip", "mtu", "--junit", t.TempDir()},
			[]string{"leave no check", "it is a folder"}},
	} {
		a := call(t, nil, c.args...).ends(t, cli.ExitInput)
		testenv.Contains(t, c.args, a.err, c.says...)
	}
	a := call(t, nil, "check", mesh)
	if a.code != cli.ExitIncomplete || !strings.Contains(a.out, "it has no connection in the file") ||
		!strings.HasPrefix(a.out, "mesh-10g: no machine was looked at") || strings.Contains(a.out, "nothing found") {
		t.Errorf("hosts without a connection: %s", a)
	}
	if a := call(t, nil, "check", "--list"); a.code != cli.ExitDone || !strings.Contains(a.out, "wrong-nic") {
		t.Errorf("%s", a)
	}
}
