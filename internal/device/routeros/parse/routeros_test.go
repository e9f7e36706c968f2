package parse

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

// TestRouterOSTableWithoutBlanks: a table from a web page has no blanks. A word that fits two columns is ignored.
func TestRouterOSTableWithoutBlanks(t *testing.T) {
	rows, err := parseRouterOS([]byte("Flags: R - RUNNING\nColumns: NAME, SWITCH, PROFILE, MAP, TRUST-L2, TRUST-L3, " +
		"TX-MANAGER, PFC\n# NAME SWITCH PROFILE MAP TRUST-L2 TRUST-L3 TX-MANAGER PFC\n" +
		"0 R ether1 switch2\n1 R qsfp28-1-1 switch1 roce-profile default ignore ignore default roce-pfc\n17 switch1-cpu " +
		"switch1 default default ignore ignore default\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"R map[name:ether1]",
		"R map[map:default name:qsfp28-1-1 pfc:roce-pfc profile:roce-profile switch:switch1 trust-l2:ignore " +
			"trust-l3:ignore tx-manager:default]",
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
		{"terse", " 2     name=ether3 UniFi1 default-name=ether3 type=ether link-downs=0\n",
			"[ map[default-name:ether3 link-downs:0 name:ether3 UniFi1 type:ether]]"},
		{"as-value", ".id=*1;name=ether1;mtu=1500;.id=*2;name=ether2;mtu=9000\n",
			"[ map[.id:*1 mtu:1500 name:ether1]  map[.id:*2 mtu:9000 name:ether2]]"},
		{"json", `[{".id":"*1","name":"sfp1","running":"true","disabled":"false","rate":"25Gbps"}]`,
			"[R map[.id:*1 disabled:false name:sfp1 rate:25Gbps running:true]]"},
		{"comment over two lines", "Flags: X - disabled, R - running\n 0 R ;;; CUST\nwho has more to say\n     name=\"v " +
			"1\" mtu=1574\n", "[R map[mtu:1574 name:v 1]]"},
		{"refused", "bad command name qos (line 1 column 28)\n",
			`RouterOS did not take the command: "bad command name qos (line 1 column 28)"`},
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
	for text, want := range map[string]unit.BitRate{"10Gbps": 1e10, "2.5Gbps": 25e8, "100.0Gbps": 1e11,
		"100G-baseCR4": 1e11, "100Mbps": 1e8, "1000M-full": 1e9, "x": 0, "": 0} {
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
