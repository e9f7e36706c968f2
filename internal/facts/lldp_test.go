package facts

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var updateLLDP = flag.Bool("update-lldp", false, "write testdata/lldp.want")

// heardLines are the neighbours of all interfaces, a line each.
func heardLines(f *Facts) (out []string) {
	for _, n := range f.NICs {
		switch {
		case n.LLDP == nil:
			continue
		case len(n.LLDP) == 0:
			out = append(out, n.Name+": nobody")
		}
		for _, h := range n.LLDP {
			line := fmt.Sprintf("%s: %s %q, port %s %q %q of %q (%s), at %v", n.Name, h.Chassis.Kind, h.Chassis.Value, h.Port.Kind, h.Port.Value, h.PortDescription, h.System, h.Description, h.Management)
			if d, ok := h.Age.Get(); ok {
				line += ", age " + d.String()
			}
			if d, ok := h.TTL.Get(); ok {
				line += ", TTL " + d.String()
			}
			if h.Via != "" {
				line += ", " + h.Via
			}
			out = append(out, fmt.Sprintf("%s\n    [%s] %s", line, h.Source, h.Line))
		}
	}
	return out
}

// What each tool and switch says of who is at the other end, word for word.
func TestLLDP(t *testing.T) {
	files, err := filepath.Glob("testdata/lldp.*.txtar")
	if err != nil || len(files) < 12 {
		t.Fatal(len(files), err)
	}
	var b strings.Builder
	for _, name := range files {
		fmt.Fprintf(&b, "%s\n", filepath.Base(name))
		for _, line := range heardLines(fixture(t, filepath.Base(name))) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	const golden = "testdata/lldp.want"
	if *updateLLDP {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// One neighbour in every form that lldpd prints is the same one.
func TestLLDPForms(t *testing.T) {
	first := fixture(t, "lldp.json.txtar")
	if len(first.NIC("v0").LLDP) != 1 || len(first.NIC("v1").LLDP) != 2 {
		t.Fatalf("%+v", first.NICs)
	}
	for _, form := range []string{"plain", "keyvalue", "json0"} {
		f := fixture(t, "lldp."+form+".txtar")
		for _, name := range []string{"v0", "v1"} {
			got, want := slices.Clone(f.NIC(name).LLDP), slices.Clone(first.NIC(name).LLDP)
			for i := range got {
				got[i].Proof = Proof{}
			}
			for i := range want {
				want[i].Proof = Proof{}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s:\n%+v\n%+v", form, name, got, want)
			}
		}
	}
}

// Of two outputs about one neighbour one is told, with what the fuller one says; a table's second neighbour stays.
func TestLLDPTwice(t *testing.T) {
	f := new(Facts)
	f.heard("e1", LLDPNeighbour{System: "sw", Port: LLDPID{Value: "Eth1"}})
	f.heard("e1", LLDPNeighbour{System: "sw", Port: LLDPID{LLDPInterface, "Eth1"}, Chassis: LLDPID{LLDPMAC, "02:00:00:00:00:01"}, TTL: known(time.Minute)})
	f.heard("e1", LLDPNeighbour{System: "sw", Port: LLDPID{Value: "Eth1"}})
	f.heard("e1", LLDPNeighbour{System: "sw", Port: LLDPID{Value: "Eth2"}})
	if l := f.NIC("e1").LLDP; len(l) != 2 || l[0].Chassis.Value == "" {
		t.Errorf("%+v", l)
	}
}

func TestLLDPCommands(t *testing.T) {
	for typed, want := range map[string]string{
		"sudo lldpctl -f json0": "lldpctl", "lldpcli -f keyvalue show neighbors details": "lldpctl", "lldpctl eth0": "lldpctl", "lldpcli show nei": "lldpctl",
		"lldpcli show interfaces -f json": "lldpcli show interfaces", "lldpcli show statistics": "lldpcli show statistics",
		"networkctl --no-pager lldp": "networkctl lldp", "networkctl status": "networkctl status",
		"lldptool -t -n -i eth0": "lldptool -n eth0", "lldptool get-tlv -n -i eth0": "lldptool -n eth0", "lldptool -t -i eth0": "lldptool eth0",
		"net show lldp json": "net show lldp", "show lldp neighbors detail | json": "show lldp neighbors", "show lldp nei det": "show lldp neighbors",
		"show lldp remote | json-print": "show lldp remote", "show lldp table": "show lldp table", "/ip neighbor print detail without-paging": "/ip neighbor print",
	} {
		if got := canonical(typed); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// What is no answer is said, and is no neighbour.
func TestLLDPDamaged(t *testing.T) {
	for name, read := range map[string]func(f *Facts, args []string, text []byte) error{
		"lldpctl": readLLDPCtl, "interfaces": readLLDPInterfaces, "networkctl": readNetworkctl, "lldptool": readLLDPToolHeard, "eos": readEOSLLDP, "onyx": readOnyxRemote, "sonic": readSONiCLLDP,
	} {
		for _, text := range []string{"", "connect: Connection refused", "{", `{"lldp`, "% Invalid input", `["x"]`} {
			f := new(Facts)
			err := read(f, []string{"e0"}, []byte(text))
			if len(heardLines(f)) > 0 || err == nil {
				t.Errorf("%s of %q: %v, %v", name, text, heardLines(f), err)
			}
		}
	}
}

// A line without its port is no neighbour of an interface without a name: it is said to be left out, and the others are read.
func TestLLDPWithoutPort(t *testing.T) {
	f, err := Parse([]byte("os eos\n-- show lldp neighbors --\n" +
		"Port       Neighbor Device ID             Neighbor Port ID           TTL\n" +
		"           leaf1                          Ethernet1                  120\n" +
		"Et2        leaf2                          Ethernet2                  120\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.NICs) != 1 || f.NICs[0].Name != "Ethernet2" || len(f.NICs[0].LLDP) != 1 {
		t.Errorf("interfaces %+v", f.NICs)
	}
	want := Unknown{"show lldp neighbors", "an entry in it names no interface, and is left out"}
	if !slices.Contains(f.Unknown, want) {
		t.Errorf("unknown: %v", f.Unknown)
	}
}

func FuzzLLDP(f *testing.F) {
	files, _ := filepath.Glob("testdata/lldp.*.txtar")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range parseArchive(text).Files {
			f.Add(file.Data)
			f.Add(file.Data[:len(file.Data)*2/3])
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all := new(Facts)
		for _, read := range []func(f *Facts, args []string, text []byte) error{readLLDPCtl, readLLDPInterfaces, readNetworkctl, readLLDPToolHeard, readEOSLLDP, readOnyxRemote, readSONiCLLDP, readRouterOS("ip neighbor", "print")} {
			_ = read(all, []string{"e0"}, text)
		}
		for _, n := range all.NICs {
			for _, h := range n.LLDP {
				if n.Name == "" || strings.ContainsAny(h.System+h.Port.Value+h.Chassis.Value+h.PortDescription, "\n\r") || h.Age.Or(0) < 0 {
					t.Fatalf("%q %+v", n.Name, h)
				}
			}
		}
	})
}

// Of the collection's outputs about neighbours each is recognised as a file that somebody kept, and names some.
func TestLLDPCaptures(t *testing.T) {
	const root = "../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of captures beside the project: %v", err)
	}
	row := regexp.MustCompile("(?m)^\\| ((?:linux|cumulus|onyx|eos|routeros)/\\S+) \\| `[^`]*(?:lldpctl|lldptool -t -n|show lldp (?:neighbors|remote|json)|/ip neighbor print)[^`]*` \\|")
	read := 0
	for _, m := range row.FindAllStringSubmatch(string(index), -1) {
		if strings.HasSuffix(m[1], "-223.txt") { // its VLANs alone
			continue
		}
		text, err := os.ReadFile(root + m[1])
		if err != nil {
			t.Fatal(err)
		}
		kept, notRead := FromKept("h", map[string][]byte{m[1]: text}, []string{m[1]})
		f, err := Parse(kept)
		if err != nil || len(notRead)+len(f.Unknown) > 0 || len(heardLines(f)) == 0 {
			t.Errorf("%s: %v %v %v", m[1], err, notRead, f)
			continue
		}
		read++
	}
	t.Logf("%d outputs are read", read)
	if read < 20 {
		t.Errorf("%d outputs were read", read)
	}
}
