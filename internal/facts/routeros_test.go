package facts

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

func routerosFixture(t *testing.T) *Facts {
	t.Helper()
	text, err := os.ReadFile("testdata/routeros.crs504.txtar")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(text)
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	return f
}

func TestRouterOSFacts(t *testing.T) {
	f := routerosFixture(t)
	e1, q1, q2, q3 := f.NIC("ether1"), f.NIC("qsfp28-1-1"), f.NIC("qsfp28-1-2"), f.NIC("qsfp28-2-1")
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"system", f.OS + ", " + f.Kernel + ", " + f.Machine.Product.Or("?") + ", " + f.CPU.Model.Or("?"), "routeros, RouterOS 7.20.1 (stable), CRS504-4XQ, MIPS 24Kc V7.4"},
		{"memory", f.Memory.Or(0), unit.Bytes(64 << 20)},
		{"uptime", f.Uptime.Or(0).String(), "1734h21m59s"},
		{"speed", fmt.Sprint(e1.Speed.Or(0), q1.Speed.Or(0), q3.Speed.IsKnown()), fmt.Sprint(unit.BitRate(1e8), unit.BitRate(1e11), false)},
		{"duplex", e1.Duplex.Or("?") + " " + e1.Proofs["duplex"].Line, "half full-duplex: no yes"},
		{"carrier", fmt.Sprint(e1.Carrier.Or(false), q3.Carrier.Or(true), q2.Up), "true false false"},
		{"mtu", fmt.Sprint(q1.MTU, q1.L2MTU.Or(0), f.NIC("bridge").Kind), "1500 9500bridge"},
		{"bridge", fmt.Sprint(q1.Master, q1.Hardware.Or(false), q2.Hardware.Or(true), q3.Hardware.IsKnown()), "bridgetrue false false"},
		{"addresses", fmt.Sprint(e1.Addresses, f.NIC("bridge").Addresses), "[192.168.88.1/24] []"},
		{"routes", fmt.Sprint(f.Routes), "[{ 0.0.0.0/0 192.168.88.254 ether1 invalid IP 1 0 0} { 192.168.88.0/24 invalid IP ether1 invalid IP 0 0 0}]"},
		{"counters", fmt.Sprint(q1.Counters), "map[rx_bytes:76421056951 rx_dropped:1353956 rx_packets:110297447 tx_bytes:75715981292 tx_dropped:0 tx_packets:109635126]"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	var counts []string
	for _, c := range f.Counts {
		if c.Value > 0 {
			counts = append(counts, fmt.Sprintf("%s %s %d of %d", c.What, c.Subject, c.Value, c.Of.Or(0)))
		}
	}
	if got, want := strings.Join(counts, "; "), "link-downs ether1 3 of 0; bad-frames qsfp28-1-1 12 of 110297447; receive-drops qsfp28-1-1 1353956 of 110297447; pause-sent qsfp28-1-1 7 of 109635126; pause-sent qsfp28-1-1 46 of 109635126"; got != want {
		t.Errorf("counts: %s", got)
	}
	var events []string
	for _, e := range f.Events {
		events = append(events, string(e.What)+" "+e.Subject+": "+e.Line)
	}
	if got, want := strings.Join(events, "; "), "link-failed qsfp28-2-1: auto-negotiation: done disabled failed; pausing qsfp28-1-1: pfc3-use: 1 075 200"; got != want {
		t.Errorf("events: %s", got)
	}
}

func TestRouterOSEffect(t *testing.T) {
	f := routerosFixture(t)
	c := f.NIC("qsfp28-1-1").Effect
	if got, want := meaning(c), "trust dscp; pfc [3] [3]; 26>3 48>6 rest>1; q1 high 2; q3 high 3 ecn 100 Gb/s; q6 strict; dcbx true; offload true"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := c.Proofs["dscp 26"].Line; got != "0 default 26 roce" {
		t.Errorf("proof of DSCP 26: %q", got)
	}
	if got, want := meaning(f.NIC("qsfp28-1-2").Effect), "trust dscp; pfc [] []; 26>3 48>6 rest>1; q1 high 2; q3 high 3 ecn; q6 strict; dcbx true; offload true"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// meaning writes classes down, without the queues that nothing is sorted into.
func meaning(c *Classes) string {
	if c == nil {
		return "nothing"
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if v, ok := c.Trust.Get(); ok {
		say("trust %s", v)
	}
	if v, ok := c.Forced.Get(); ok {
		say("forced %d", v)
	}
	if v, ok := c.PFCReceive.Get(); ok {
		say("pfc %v %v", v, c.PFCSend.Or(nil))
	}
	marks := ""
	for n := range 64 {
		if class, ok := c.DSCP[n]; ok && (class != 1 || len(c.DSCP) < 64) {
			marks += fmt.Sprintf("%d>%d ", n, class)
		}
	}
	if len(c.DSCP) == 64 {
		marks += "rest>1"
	}
	if marks != "" {
		out = append(out, strings.TrimSpace(marks))
	}
	for _, n := range slices.Sorted(maps.Keys(c.Queues)) {
		q := c.Queues[n]
		text := fmt.Sprintf("q%d", n)
		if group, _, _ := strings.Cut(q.Group, "-"); group != "" {
			text += " " + group
		}
		if q.Strict.Or(false) {
			text += " strict"
		}
		if w, ok := q.Weight.Get(); ok {
			text += fmt.Sprintf(" %.0f", w)
		}
		if q.ECN.Or(false) {
			text += " ecn"
		}
		if q.WRED.Or(false) {
			text += " wred"
		}
		if r, ok := q.Rate.Get(); ok {
			text += " " + r.String()
		}
		if q.Active.Or(true) {
			out = append(out, text)
		}
	}
	if v, ok := c.DCBX.Get(); ok {
		say("dcbx %v", v)
	}
	if v, ok := c.Offload.Get(); ok {
		say("offload %v", v)
	}
	return strings.Join(out, "; ")
}

// A table of a web page has lost its blanks: what a word could be of two columns is left out, and nothing is made up.
func TestRouterOSTableWithoutBlanks(t *testing.T) {
	rows, err := parseRouterOS([]byte("Flags: R - RUNNING\nColumns: NAME, SWITCH, PROFILE, MAP, TRUST-L2, TRUST-L3, TX-MANAGER, PFC\n# NAME SWITCH PROFILE MAP TRUST-L2 TRUST-L3 TX-MANAGER PFC\n" +
		"0 R ether1 switch2\n1 R qsfp28-1-1 switch1 roce-profile default ignore ignore default roce-pfc\n17 switch1-cpu switch1 default default ignore ignore default\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"R map[name:ether1]",
		"R map[map:default name:qsfp28-1-1 pfc:roce-pfc profile:roce-profile switch:switch1 trust-l2:ignore trust-l3:ignore tx-manager:default]",
		" map[map:default name:switch1-cpu profile:default switch:switch1 trust-l2:ignore trust-l3:ignore]",
	}
	for i, w := range want {
		if got := rows[i].flags + " " + fmt.Sprint(rows[i].values); got != w {
			t.Errorf("%s\nwant %s", got, w)
		}
	}
}

func TestRouterOSForms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"terse", " 2     name=ether3 UniFi1 default-name=ether3 type=ether link-downs=0\n", "[ map[default-name:ether3 link-downs:0 name:ether3 UniFi1 type:ether]]"},
		{"as-value", ".id=*1;name=ether1;mtu=1500;.id=*2;name=ether2;mtu=9000\n", "[ map[.id:*1 mtu:1500 name:ether1]  map[.id:*2 mtu:9000 name:ether2]]"},
		{"json", `[{".id":"*1","name":"sfp1","running":"true","disabled":"false","rate":"25Gbps"}]`, "[R map[.id:*1 disabled:false name:sfp1 rate:25Gbps running:true]]"},
		{"comment over two lines", "Flags: X - disabled, R - running\n 0 R ;;; CUST\nwho has more to say\n     name=\"v 1\" mtu=1574\n", "[R map[mtu:1574 name:v 1]]"},
		{"refused", "bad command name qos (line 1 column 28)\n", `RouterOS did not take the command: "bad command name qos (line 1 column 28)"`},
		{"empty", " \n", "the output is empty"},
		{"another language", "Kein solcher Befehl\n", `the output has nothing of the expected form: "Kein solcher Befehl"`},
	} {
		rows, err := parseRouterOS([]byte(c.text))
		var got []string
		for _, r := range rows {
			got = append(got, r.flags+" "+fmt.Sprint(r.values))
		}
		said := fmt.Sprint(got)
		if err != nil {
			said = err.Error()
		}
		if strings.ReplaceAll(said, "[ map", "[ map") != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, said, c.want)
		}
	}
}

func TestRouterOSValues(t *testing.T) {
	for text, want := range map[string]unit.BitRate{"10Gbps": 1e10, "2.5Gbps": 25e8, "100.0Gbps": 1e11, "100G-baseCR4": 1e11, "100Mbps": 1e8, "1000M-full": 1e9, "x": 0, "": 0} {
		if got, _ := routerosRate(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]uint64{"2 887": 2887, "3\u00a0938\u00a0897": 3938897, "1,234": 1234, "0": 0} {
		if got, ok := routerosNumber(text); !ok || got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]unit.Bytes{"2648.0KiB": 2648 << 10, "8.0MiB": 8 << 20, "35 840": 35840} {
		if got, ok := routerosBytes(text); !ok || got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Every real output of RouterOS is recognised by its name and by its content, and read, but for those that nothing is made of.
func TestRouterOSCaptures(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/captures/routeros/*.txt")
	if len(files) == 0 {
		t.Skip("no collection of captures beside the project")
	}
	read := 0
	for _, path := range files {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		unread := strings.HasPrefix(name, "ping") || strings.HasPrefix(name, "tool") || strings.Contains(name, "clock") || strings.Contains(name, "-poe-")
		for _, as := range []string{name, "qos.txt"} {
			if strings.Contains(name, "identity") && as != name {
				continue // "name: x" may be anything
			}
			kept, notRead := FromKept("host", map[string][]byte{as: text}, []string{as})
			f, err := Parse(kept)
			if unread {
				if len(notRead) == 0 && len(f.Unknown) == 0 {
					t.Errorf("%s as %s: taken for something: %.80q", name, as, kept)
				}
				continue
			}
			if err != nil || len(notRead) > 0 || len(f.Unknown) > 0 || f.OS != "routeros" {
				t.Errorf("%s as %s: %v %v %v", name, as, err, notRead, f)
				continue
			}
			read++
		}
	}
	t.Logf("%d of %d", read, 2*len(files))
}
