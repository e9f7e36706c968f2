package collect

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/parsetest"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
)

// The daemon that is queried, or the reason why none is, with substitutes for the programs, a sysfs with one adapter,
// and a socket of lldpd.
func TestAskLLDP(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(root+"/class/net/e0/ifindex", "7\n")
	write(root+"/class/net/e0/address", "02:00:00:00:00:01\n")
	nic := []iproute.Link{{Index: 7, Name: "e0", Address: "02:00:00:00:00:01", Device: "0000:01:00.0"}}
	write(bin+"/lldpctl", "#!/bin/sh\n"+`echo '{"lldp":{"interface":{"e0":{"via":"LLDP","chassis":{"sw":{"id":{"type":"mac","value":"02:00:00:00:00:99"}}},"port":{"id":{"type":"ifname","value":"swp1"}}}}}}'`+"\n")
	write(bin+"/lldpcli",
		"#!/bin/sh\n"+`echo '{"lldp":{"interface":[{"e0":{"status":"RX and TX"}},{"e1":{"status":"RX only"}}]}}'`+"\n")
	write(bin+"/networkctl", "#!/bin/sh\necho 'LINK CHASSIS-ID SYSTEM-NAME CAPS PORT-ID PORT-DESCRIPTION'\necho 'e0   "+
		"aa         host        b    p1'\n")
	t.Setenv("PATH", bin)
	sockets, kept := lldpdSockets, networkdKept
	t.Cleanup(func() { lldpdSockets, networkdKept = sockets, kept })
	at := t.TempDir()
	socket, err := net.Listen("unix", at+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()

	for _, c := range []struct {
		what         string
		links        []iproute.Link
		socket, kept string
		want         string
	}{
		{"lldpd", nic, at + "/s", at, `[e0: mac "02:00:00:00:00:99", port ifname "swp1" "" of "sw" (), at [], LLDP e1: nobody]`},
		{"networkd", nic, at + "/none", at, `[e0:  "aa", port  "p1" "" of "host" (), at [], LLDP]`},
		{"neither", nic, at + "/none", at + "/none",
			`[] neither lldpd nor systemd-networkd's LLDP is there (Debian: lldpd)`},
		{"a namespace", []iproute.Link{{Index: 8, Name: "e0", Address: "02:00:00:00:00:01", Device: "0000:01:00.0"}},
			at + "/s", at,
			`[] its interfaces are virtual ones; LLDP on this machine is about the machine's own NICs`},
		{"its folder alone", nic, at + "/none", at,
			`[] systemd-networkd does not answer, and lldpd is not there (Debian: lldpd); networkctl: exit status 1: System has not been booted with systemd as init system (PID 1).`},
		{"words of its own", nic, at + "/none", at,
			`[] systemd-networkd does not answer, and lldpd is not there (Debian: lldpd); networkctl: the output has nothing of the expected form: "systemd-networkd is not running"`},
	} {
		switch c.what {
		case "its folder alone":
			write(bin+"/networkctl", "#!/bin/sh\necho 'System has not been booted with systemd as init system (PID 1).' "+
				">&2\nexit 1\n")
		case "words of its own":
			write(bin+"/networkctl", "#!/bin/sh\necho 'systemd-networkd is not running'\n")
		}
		lldpdSockets, networkdKept = []string{c.socket}, c.kept
		k := &collector{ctx: context.Background()}
		k.lldp(root, c.links)
		f, err := read.Parse((&snapshot.Archive{Comment: "os linux\n" + k.head.Text(), Files: k.files}).Bytes())
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, l := range parsetest.HeardLines(f) {
			line, _, _ := strings.Cut(l, "\n")
			lines = append(lines, line)
		}
		if got := strings.TrimSpace(fmt.Sprint(lines, " ", f.LLDPWhy)); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
		}
	}
}
