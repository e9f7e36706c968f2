package read

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	eos "linerate/internal/device/eos/parse"
	onyx "linerate/internal/device/onyx/parse"
	sonic "linerate/internal/device/sonic/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
	"linerate/internal/facts/parse/parsetest"
	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// TestLLDP expects the neighbours of each tool and switch, word for word.
func TestLLDP(t *testing.T) {
	files, err := filepath.Glob("testdata/lldp.*.txtar")
	if err != nil || len(files) < 12 {
		t.Fatal(len(files), err)
	}
	var b strings.Builder
	for _, name := range files {
		fmt.Fprintf(&b, "%s\n", filepath.Base(name))
		for _, line := range parsetest.HeardLines(load(t, filepath.Base(name))) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	golden.Compare(t, "testdata/lldp.want", b.String())
}

// TestLLDPForms: one neighbour is the same in every form of lldpd.
func TestLLDPForms(t *testing.T) {
	first := load(t, "lldp.json.txtar")
	if len(first.NIC("v0").LLDP) != 1 || len(first.NIC("v1").LLDP) != 2 {
		t.Fatalf("%+v", first.NICs)
	}
	for _, form := range []string{"plain", "keyvalue", "json0"} {
		f := load(t, "lldp."+form+".txtar")
		for _, name := range []string{"v0", "v1"} {
			got, want := slices.Clone(f.NIC(name).LLDP), slices.Clone(first.NIC(name).LLDP)
			for i := range got {
				got[i].Proof = facts.Proof{}
			}
			for i := range want {
				want[i].Proof = facts.Proof{}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s:\n%+v\n%+v", form, name, got, want)
			}
		}
	}
}

func TestLLDPCommands(t *testing.T) {
	for typed, want := range map[string]string{"sudo lldpctl -f json0": "lldpctl",
		"lldpcli -f keyvalue show neighbors details": "lldpctl", "lldpctl eth0": "lldpctl", "lldpcli show nei": "lldpctl",
		"lldpcli show interfaces -f json": "lldpcli show interfaces", "lldpcli show statistics": "lldpcli show statistics",
		"networkctl --no-pager lldp": "networkctl lldp", "networkctl status": "networkctl status",
		"lldptool -t -n -i eth0": "lldptool -n eth0", "lldptool get-tlv -n -i eth0": "lldptool -n eth0",
		"lldptool -t -i eth0": "lldptool eth0", "net show lldp json": "net show lldp",
		"show lldp neighbors detail | json": "show lldp neighbors", "show lldp nei det": "show lldp neighbors",
		"show lldp remote | json-print": "show lldp remote", "show lldp table": "show lldp table",
		"/ip neighbor print detail without-paging": "/ip neighbor print"} {
		if got := canonical(typed); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// TestLLDPDamaged: a text that is not an output is reported, and is not a neighbour.
func TestLLDPDamaged(t *testing.T) {
	for name, read := range map[string]func(f *parse.Builder, args []string, text []byte) error{
		"lldpctl": lldp.ReadLLDPCtl, "interfaces": lldp.ReadLLDPInterfaces, "networkctl": lldp.ReadNetworkctl,
		"lldptool": lldp.ReadLLDPToolHeard, "eos": eos.ReadEOSLLDP, "onyx": onyx.ReadOnyxRemote, "sonic": sonic.ReadSONiCLLDP,
	} {
		for _, text := range []string{"", "connect: Connection refused", "{", `{"lldp`, "% Invalid input", `["x"]`} {
			f := parse.NewBuilder(new(facts.Facts))
			err := read(f, []string{"e0"}, []byte(text))
			if len(parsetest.HeardLines(f.Facts)) > 0 || err == nil {
				t.Errorf("%s of %q: %v, %v", name, text, parsetest.HeardLines(f.Facts), err)
			}
		}
	}
}

// TestLLDPWithoutPort: a line without its port is not a neighbour of an interface without a name: it is reported as
// ignored, and the others are read.
func TestLLDPWithoutPort(t *testing.T) {
	f := testenv.Must(Parse([]byte("os eos\n-- show lldp neighbors --\n" +
		"Port       Neighbor Device ID             Neighbor Port ID           TTL\n" +
		"           leaf1                          Ethernet1                  120\n" +
		"Et2        leaf2                          Ethernet2                  120\n")))(t)
	if len(f.NICs) != 1 || f.NICs[0].Name != "Ethernet2" || len(f.NICs[0].LLDP) != 1 {
		t.Errorf("interfaces %+v", f.NICs)
	}
	want := facts.Unknown{Subject: "show lldp neighbors", Reason: "an entry in it names no interface, and is left out"}
	if !slices.Contains(f.Unknown, want) {
		t.Errorf("unknown: %v", f.Unknown)
	}
}

// TestLLDPSnapshots: each of the collection's outputs about neighbours is recognized as a saved file, and has
// neighbours.
func TestLLDPSnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of snapshots next to the project: %v", err)
	}
	row := regexp.MustCompile("(?m)^\\| ((?:linux|cumulus|onyx|eos|routeros)/\\S+) \\| `[^`]*(?:lldpctl|lldptool -t " +
		"-n|show lldp (?:neighbors|remote|json)|/ip neighbor print)[^`]*` \\|")
	read := 0
	for _, m := range row.FindAllStringSubmatch(string(index), -1) {
		if strings.HasSuffix(m[1], "-223.txt") { // only its VLANs
			continue
		}
		text := testenv.Must(os.ReadFile(root + m[1]))(t)
		kept, notRead := FromKept("h", map[string][]byte{m[1]: text}, []string{m[1]})
		f, err := Parse(kept)
		if err != nil || len(notRead)+len(f.Unknown) > 0 || len(parsetest.HeardLines(f)) == 0 {
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
