package read

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	eos "linerate/internal/device/eos/parse"
	freebsd "linerate/internal/device/freebsd/parse"
	linux "linerate/internal/device/linux/parse"
	onyx "linerate/internal/device/onyx/parse"
	routeros "linerate/internal/device/routeros/parse"
	sonic "linerate/internal/device/sonic/parse"
	windows "linerate/internal/device/windows/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
	"linerate/internal/facts/parse/parsetest"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

func FuzzEOSCounters(f *testing.F) {
	f.Add([]byte("Port FCS Align Symbol\nEt1 1 2 3\n"))
	f.Add([]byte("Port InDiscards OutDiscards\nEt1 1 2\nTotals 1 2\n"))
	f.Fuzz(func(_ *testing.T, text []byte) {
		v := parse.NewBuilder(new(facts.Facts))
		_ = eos.ReadEOSCounters(v, nil, text)
		settle(v)
	})
}

func FuzzParse(f *testing.F) {
	entries, _ := os.ReadDir("testdata")
	for _, e := range entries {
		if text, err := os.ReadFile("testdata/" + e.Name()); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil || strings.Contains(string(text), "internal error") { // of the text itself
			return
		}
		for _, u := range v.Unknown {
			if strings.Contains(u.Reason, "internal error") {
				t.Fatal(u)
			}
		}
		v.RouteTo(netip.MustParseAddr("10.0.0.1"))
		for _, nic := range v.NICs {
			if nic.Name == "" {
				t.Fatal("an interface without a name")
			}
		}
	})
}

func FuzzSysctl(f *testing.F) {
	parsetest.Fuzz(f, "sysctl", parse.ParseSysctl,
		func(_ *testing.T, v map[string]string) { parse.PutSysctls(parse.NewBuilder(new(facts.Facts)), nil, v) })
}

func FuzzCounter(f *testing.F) {
	parsetest.Fuzz(f, "sys/class/net/*/statistics/*", parse.ParseCounter, nil)
}

func FuzzNetstat(f *testing.F) {
	for _, name := range []string{"netstat -i", "netstat -w", "netstat -r", "netstat -s", "netstat -m", "netstat -Q",
		"vmstat -z", "vmstat -i", "kldstat"} {
		parsetest.Seed(f, name)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, s := range freebsd.Sources() {
			if s.Name == "ifconfig" {
				continue
			}
			got := parse.NewBuilder(&facts.Facts{NICs: []facts.Interface{{Name: "mce0"}, {Name: "ix0"}}})
			if err := s.Read(got, nil, text); err != nil && (err.Error() == "" || len(err.Error()) > 1000) {
				t.Fatal(s.Name, err)
			}
			settle(got)
			for _, c := range got.Counts {
				if c.Line == "" {
					t.Fatal(s.Name, c)
				}
			}
			for _, r := range got.Routes {
				if !r.Dst.IsValid() {
					t.Fatal(r)
				}
			}
		}
	})
}

func FuzzBSDSysctl(f *testing.F) {
	parsetest.Fuzz(f, "sysctl", func(text []byte) (*facts.Facts, error) {
		v := parse.NewBuilder(&facts.Facts{NICs: []facts.Interface{{Name: "mce0"}, {Name: "ix0"}}})
		err := freebsd.ReadSysctl(v, nil, text)
		settle(v)
		return v.Facts, err
	}, func(t *testing.T, v *facts.Facts) {
		for _, n := range v.NICs {
			if n.Queues.IsKnown() && n.Queues.Or(0) < 1 {
				t.Fatal(n)
			}
			if n.Effect != nil {
				for point, prio := range n.Effect.DSCP {
					if point < 0 || point > 63 || prio < 0 || prio > 7 {
						t.Fatal(n.Effect.DSCP)
					}
				}
			}
		}
	})
}

// FuzzSources passes any text to any source. Tests run it for many executions instead of each parser's own target,
// which is for work on one parser. Its corpus is that of all of them.
func FuzzSources(f *testing.F) {
	table := Sources()
	entries := testenv.Must(os.ReadDir("testdata"))(f)
	for _, e := range entries {
		text, err := os.ReadFile("testdata/" + e.Name())
		if e.IsDir() || err != nil {
			continue
		}
		for _, file := range snapshot.ParseArchive(text).Files {
			for n, s := range table {
				if _, ok := parse.Match(s.Name, canonical(file.Name)); ok {
					f.Add(uint16(n), file.Data)
				}
			}
		}
	}
	for n := range table {
		f.Add(uint16(n), []byte(":\n\n[{}]\n1 2 3\n"))
	}
	f.Fuzz(func(t *testing.T, n uint16, text []byte) {
		s := table[int(n)%len(table)]
		v := parse.NewBuilder(new(facts.Facts))
		v.Reading = s.Name
		var args []string
		for range strings.Count(s.Name, "*") {
			args = append(args, "1")
		}
		if err := s.Read(v, args, text); err != nil {
			if said := err.Error(); said == "" || len(said) > 1000 || strings.Contains(said, "\n") {
				t.Fatalf("%s: error %q", s.Name, said)
			}
		}
		settle(v)
		for _, nic := range v.NICs {
			if nic.Name == "" {
				t.Fatalf("%s: an interface without a name", s.Name)
			}
			if nic.Speed.Or(1) <= 0 || nic.MTU < 0 {
				t.Fatalf("%s: speed %v, MTU %d", s.Name, nic.Speed.Or(1), nic.MTU)
			}
		}
		for _, e := range v.Events {
			if e.Count < 1 || e.What == "" {
				t.Fatalf("%s: %+v", s.Name, e)
			}
		}
		if len(v.Events) > parse.MaxEvents {
			t.Fatalf("%s: %d events", s.Name, len(v.Events))
		}
	})
}

func FuzzPowerShell(f *testing.F) {
	seedWindows(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		v := parse.NewBuilder(new(facts.Facts))
		for _, read := range []func(*parse.Builder, []string, []byte) error{windows.ReadPS(""),
			windows.ReadPS("Get-NetAdapter"), windows.ReadNetshGlobal, windows.ReadPowerPlan, windows.ReadNetstatWindows} {
			_ = read(v, nil, text)
		}
		settle(v)
		for _, n := range v.NICs {
			if n.Name == "" || n.MTU < 0 || n.Queues.Or(1) < 1 || n.Speed.IsKnown() && n.Speed.Or(0) <= 0 {
				t.Fatalf("%+v", n)
			}
		}
		for _, d := range v.PCI {
			if w, ok := d.Width.Get(); ok && (w < 1 || w > 32) {
				t.Fatalf("%+v", d)
			}
		}
	})
}

func FuzzWindowsScript(f *testing.F) {
	seedWindows(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		v := parse.NewBuilder(new(facts.Facts))
		_ = windows.ReadWindowsScript(v, nil, text)
		settle(v)
	})
}

func FuzzQosScript(f *testing.F) {
	if text, err := os.ReadFile("../../device/windows/render/testdata/roce-100g-pc/apply.ps1"); err == nil {
		f.Add(string(text))
	}
	f.Add("New-NetQosTrafficClass 'a' -Priority 3,@(4) -Bandwidth:60 | X { Enable-NetQosFlowControl 3 }")
	f.Fuzz(func(t *testing.T, text string) {
		v := parse.NewBuilder(new(facts.Facts))
		if windows.ReadQosScript(v, nil, []byte(text)) == nil && v.Windows.Policy.Asked == nil {
			t.Fatal("no classes")
		}
		settle(v)
	})
}

func FuzzLLDP(f *testing.F) {
	files, _ := filepath.Glob("testdata/lldp.*.txtar")
	for _, name := range files {
		text := testenv.Must(os.ReadFile(name))(f)
		for _, file := range snapshot.ParseArchive(text).Files {
			f.Add(file.Data)
			f.Add(file.Data[:len(file.Data)*2/3])
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all := parse.NewBuilder(new(facts.Facts))
		for _, read := range []func(f *parse.Builder, args []string, text []byte) error{lldp.ReadLLDPCtl,
			lldp.ReadLLDPInterfaces, lldp.ReadNetworkctl, lldp.ReadLLDPToolHeard, eos.ReadEOSLLDP, onyx.ReadOnyxRemote,
			sonic.ReadSONiCLLDP, routeros.ReadRouterOS("ip neighbor", "print")} {
			_ = read(all, []string{"e0"}, text)
		}
		for _, n := range all.NICs {
			for _, h := range n.LLDP {
				if n.Name == "" || strings.ContainsAny(h.System+h.Port.Value+h.Chassis.Value+h.PortDescription, "\n\r") ||
					h.Age.Or(0) < 0 {
					t.Fatalf("%q %+v", n.Name, h)
				}
			}
		}
	})
}

func FuzzNetDev(f *testing.F) {
	f.Add([]byte(netDev))
	parsetest.Fuzz(f, "proc/net/dev", linux.ParseNetDev, func(t *testing.T, v map[string]map[string]uint64) {
		for name, c := range v {
			if name == "" || len(c) != len(linux.NetDevColumns) {
				t.Errorf("%q has %d counters", name, len(c))
			}
		}
	})
}

func FuzzNetworkFiles(f *testing.F) {
	for _, text := range []string{"auto e\niface e inet static\n address 10.0.0.1\n netmask 24\n mtu 9000\n up ip link " +
		"set e mtu 3\n", "network: {ethernets: {e: {match: {name: a}, mtu: 9000, addresses: [10.0.0.1/24]}}}",
		"[Match]\nName=e*\n[Link]\nMTUBytes=9k\n[Network]\nAddress=10.0.0.1/24\n",
		"[connection]\ntype=x\ninterface-name=e\n[ipv4]\naddress1=10.0.0.1/24\n", "-net/a.b/c = 1\n", "a: &a [*a]\n",
		"kern.ipc.x=\"1m\"\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v := &parse.Builder{Facts: new(facts.Facts), Reading: "etc/x/y.link"}
		for _, read := range []func(*parse.Builder, []string, []byte) error{linux.ReadInterfaces, linux.ReadNetplan,
			linux.ReadNetworkd, linux.ReadKeyfile, parse.ReadSysctlFile, freebsd.ReadLoaderConf, freebsd.ReadRCConf} {
			_ = read(v, nil, text)
		}
		settle(v)
		for _, n := range v.NICs {
			if n.Configured != nil && (n.Configured.MTU < 0 || n.Configured.MTU > 1<<17 || len(n.Configured.Addresses) > 0 &&
				n.Configured.Addresses[0] == netip.Prefix{}) {
				t.Fatalf("%+v", n.Configured)
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte("[admin@MikroTik] /interface> print\n0 x\nroot@a:~# ip a\nswitch# show x\nPS C:\\> " +
		"a\n/interface\nprint\n---\nx\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := 0
		for _, p := range split(text) {
			n += len(p.Text)
		}
		if n > 200*len(text)+1000 {
			t.Fatalf("%d bytes of %d", n, len(text))
		}
	})
}

func FuzzRecognise(f *testing.F) {
	f.Add("lspci-vvv.txt", []byte("hello"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		FromKept("host", map[string][]byte{name: text}, []string{name})
	})
}
