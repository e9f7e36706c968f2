package fabric

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/testenv"
)

var loadCatalog = sync.OnceValues(catalog.Load)

func testCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c := testenv.Must(loadCatalog())(t)
	return c
}

func parseFile(t *testing.T, path string, opt Options) *Fabric {
	t.Helper()
	opt.Catalog = testCatalog(t)
	f, problems := Load(path, opt)
	if len(problems) > 0 {
		t.Fatalf("%s:\n%v", path, problems)
	}
	return f
}

// TestContract reads the contract's example, with every key of the format.
func TestContract(t *testing.T) {
	f := parseFile(t, "testdata/contract.yaml", Options{})
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: %s; want %s", what, g, w)
		}
	}
	check("name", f.Name, "home-40g")
	check("note", f.Note, "the example of the format, with parts written out")
	check("mtu", f.MTU, 9000)
	check("addressing", []any{f.Addressing.Pool, f.Addressing.Prefix, f.Addressing.Avoid, f.Addressing.Names},
		"[10.20.0.0/16 24 [192.168.1.0/24] hosts-file]")
	check("subnet", []any{f.Subnets[0].Name, f.Subnets[0].Range, f.Subnets[0].VLAN}, "[fast 10.0.1.0/24 711]")
	check("hosts", len(f.Hosts), 2+4+32)
	nas := f.Hosts[0]
	check("host",
		[]any{nas.Name, nas.Group, nas.OS, nas.Version, nas.System, nas.CPU, nas.Memory, nas.Connection, nas.Settings,
			nas.On, nas.Guest},
		"[nas nas freebsd 7.10 HPE DL380 Gen10 2 x Xeon Gold 6126 96GB ssh root@nas map[smb-dialect:3.1.1]  false]")
	cx3 := nas.NICs[0]
	check("nic", []any{cx3.Name, cx3.Part.Name, cx3.Slot, cx3.Ports, cx3.Price.Money, cx3.Price.Origin},
		"[cx3 nic 2 x 40G, qsfp+, pcie3x8 pcie3x8 [mlxen0 mlxen1] 12.67 USD written]")
	tank := nas.Drives[0]
	check(
		"drive",
		[]any{tank.Name, tank.Part, tank.Bus, tank.Behind, tank.Count, tank.Layout, tank.Read, tank.Write, tank.Capacity,
			tank.Path, tank.Shares, tank.Login},
		"[tank <nil> sas3x4 chipset 6 raidz1 4.64 Gb/s 4.00 Gb/s 4.00 TB /mnt/tank/bench map[smb://nas/tank] "+
			"env:NAS_PASSWORD]",
	)
	check("export", nas.Drives[1].Export, "iscsi")
	pc := f.Hosts[1]
	check("anchor and owned", []any{pc.NICs[0].Part == cx3.Part, pc.NICs[0].Price.Origin, pc.Price.Origin},
		"[true owned unknown]")
	n2 := f.Hosts[3]
	ql := n2.NICs[0]
	check("range",
		[]any{n2.Name, n2.Group, ql.Slot, ql.Behind, ql.Mode, ql.Speed, ql.RDMA, ql.VFs, ql.Firmware, ql.Part.RDMA},
		"[n2 n[1-4] pcie3x8 cpu eth 25.0 Gb/s rocev2 8 8.30.13 [rocev2 iwarp]]")
	check("bond", []any{n2.Bonds[0].Name, n2.Bonds[0].Of, n2.Bonds[0].Mode, n2.Bonds[0].Subnet},
		"[team [n2.ql.1 n2.ql.2] set fast]")
	vm6 := f.Hosts[6+5]
	check("virtual machine", []any{vm6.Name, vm6.On, vm6.NICs[0].VF, vm6.NICs[0].Part}, "[vm6 n2 n2.ql.1 <nil>]")
	check("volume", []any{f.Volumes[0].Name, f.Volumes[0].Of, f.Volumes[0].Layout}, "[csv [n1.nvme n2.nvme n3.nvme "+
		"n4.nvme] mirror3]")
	check("volume in step", []any{f.Volumes[2].Name, f.Volumes[2].Of, f.Volumes[2].Extra}, "[one2 [n2.nvme] "+
		"map[at:n2.ql.2]]")
	sw := f.Switches[0]
	check("switch", []any{sw.Name, sw.Part.Name, sw.OS, sw.Connection, sw.Price.Money},
		"[sw1 switch 32 x 40G, qsfp+ onyx ssh admin@sw1 8000.00 CNY]")
	check("links", len(f.Links), 1+8+1)
	l := f.Links[0]
	check("link", []any{l.Name, l.Ends, l.Subnet, l.Addresses, l.Cable.Part.Name, l.Cable.Price.Money, l.MTU},
		"[nas.cx3.2--sw1.19 [nas.cx3.2 sw1.19] fast [10.0.1.100] aoc 40G, qsfp+, 50 m 37.32 USD 0]")
	check("last of a range", f.Links[8].Name, "n4.ql.2--sw2.8")
	check("mesh", []any{f.Links[9].Name, f.Links[9].MTU, f.Links[9].Cable.Part}, "[nas.cx3.1--pc.cx3.1 1500 <nil>]")
	check("spare", []any{len(f.Spares), f.Spares[0].Price.Money, f.Spares[0].Count}, "[1 31.88 USD 1]")
	c := f.Classes[0]
	check("class", []any{c.Name, c.Priority, c.DSCP, c.Lossless, c.ECN, c.Share, c.Match}, "[roce 3 26 true true 0.6 "+
		"smb-direct]")
	check("trust, dcbx", []any{f.Trust, f.DCBX}, "[dscp switch]")
	check("variants", f.Variants, "[ten iwarp]")
	check("places", []any{nas.At, l.At, c.At}, "[{8 3} {35 5} {39 11}]")
}

func TestContractExperiments(t *testing.T) {
	f := parseFile(t, "testdata/contract.yaml", Options{})
	var got []string
	for _, e := range f.Experiments {
		s := fmt.Sprintf("%s: %s %v>%v on %v via %v x%d", e.Name, e.Method, e.From, e.To, e.On, e.Via, e.Repeats)
		for _, a := range e.Parameters {
			s += " " + a.Key + "=" + strings.Join(a.Values, ",")
		}
		if e.Figure != nil {
			s += fmt.Sprintf(" figure %s in %s", e.Figure.Match, e.Figure.Unit)
		}
		got = append(got, s)
	}
	var vms []string
	for i := range 32 {
		vms = append(vms, fmt.Sprintf("vm%d", i+1))
	}
	want := []string{
		"line-rate: throughput [n1]>[n2] on [] via [] x5 streams=1,4,8 " +
			"size=512B,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB direction=out,in,both time=10s",
		"video: copy [n1]>[nas.tank] on [] via [] x0 transport=smb amount=3.2GB",
		"fleet: storage [" + strings.Join(vms,
			" ") + "]>[csv] on [] via [] x0 transport=local load=SEQ1M-Q8T1,RND4K-Q32T16 " +
			"read=100%,50%,0%",
		"rdma: rdma [n1]>[n2] on [] via [ql] x0 op=write metric=latency threads=1,2,4,8 " +
			"size=1B,2B,4B,8B,16B,32B,64B,128B,256B,512B,1KiB",
		"lammps: command []>[] on [n1 n2 n3 n4] via [] x0 processes=4,8 command=mpirun -n {processes} lmp figure time of " +
			"(\\S+) in s",
		"every: latency []>[] on [links] via [] x0 warmup=15s pause=60s",
		"each: throughput [n1]>[n2] on [] via [] x0", "each: throughput [n1]>[n3] on [] via [] x0",
		"each: throughput [n2]>[n1] on [] via [] x0", "each: throughput [n2]>[n3] on [] via [] x0",
		"each: throughput [n3]>[n1] on [] via [] x0", "each: throughput [n3]>[n2] on [] via [] x0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestContractGoals(t *testing.T) {
	f := parseFile(t, "testdata/contract.yaml", Options{})
	var got []string
	for _, g := range f.Goals {
		where := ""
		for _, a := range g.Where {
			where += fmt.Sprintf(" %s:%d", a.Key, len(a.Values))
		}
		got = append(got,
			fmt.Sprintf("%s of %s%s: %s %s %s %g %s", g.Name, g.Of, where, g.Metric, g.Op, g.Kind, g.Value, g.Other))
	}
	want := []string{"video of video: goodput >= value 6.4e+09 ",
		"line-rate of line-rate streams:1 size:10: goodput >= ceiling 0.95 ",
		"faster of line-rate: goodput >= other 2.26 variant ten",
		"more-pairs of rdma threads:1: latency.p50 <= other 1.5 threads 1",
		"compare of line-rate: goodput >= other 1.2 video",
		"both of line-rate: goodput >= other 1.66 variant ten+iwarp", "money of plan: cost <= value 100 "}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Variants merge as in RFC 7396, also into one of the names of a range.
func TestVariants(t *testing.T) {
	base := parseFile(t, "testdata/contract.yaml", Options{})
	both := parseFile(t, "testdata/contract.yaml", Options{Variant: "ten+iwarp"})
	if len(base.Hosts) != len(both.Hosts) || both.Variant != "ten+iwarp" {
		t.Fatalf("%d hosts, %d with variants", len(base.Hosts), len(both.Hosts))
	}
	for i, want := range []string{"10.0 Gb/s rocev2 8.30.13", "10.0 Gb/s iwarp ", "10.0 Gb/s rocev2 8.30.13"} {
		h := both.Hosts[2+i]
		ql := h.NICs[0]
		if got := fmt.Sprintf("%s %s %s", ql.Speed, ql.RDMA, ql.Firmware); got != want || h.Group != "n[1-4]" ||
			h.Name != fmt.Sprintf("n%d", i+1) {
			t.Errorf("%s (%s): %q; want %q", h.Name, h.Group, got, want)
		}
	}
	if base.Hosts[3].NICs[0].RDMA != "rocev2" {
		t.Error("the variant changed the file as written")
	}
	if vm := both.Hosts[6+5]; vm.On != "n2" || vm.NICs[0].VF != "n2.ql.1" {
		t.Errorf("%+v", vm)
	}
	if slices.ContainsFunc(both.Goals, func(g *Goal) bool { return g.Name == "compare" }) {
		t.Error("null did not remove a goal")
	}
	_, problems := Load("testdata/contract.yaml", Options{Variant: "tne", Catalog: testCatalog(t)})
	if len(problems) != 1 ||
		!strings.Contains(problems.Error(), "write --variant ten") {
		t.Errorf("%v", problems)
	}
}

// Without experiments, a run measures latency and throughput on every link.
func TestDefaultExperiments(t *testing.T) {
	es := (&Fabric{}).DefaultExperiments()
	if len(es) != 2 || es[0].Method != "latency" || es[1].Method != "throughput" ||
		!reflect.DeepEqual(es[1].On, []string{"links"}) ||
		len(es[1].Parameter("direction")) != 2 {
		t.Errorf("%+v", es)
	}
}

// A mesh links every pair that has no link yet, through free ports.
func TestMesh(t *testing.T) {
	f, problems := loadText(t, `fabric: t
hosts:
  desk: {nics: {a: {part: {kind: nic, speed: 10G, ports: 1, cage: rj45}}, c: {part: &c {kind: nic, speed: 10G, ports: 2, cage: sfp+}}}}
  nas: {nics: {c: {part: *c}}}
  lab: {nics: {c: {part: *c}}}
links:
  - {mesh: [desk, nas, lab], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}, price: 10 USD}}
  - {ends: [nas.c.1, lab.c.1]}
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var names []string
	for _, l := range f.Links {
		names = append(names, l.Name)
	}
	if got := strings.Join(names, " "); got != "desk.c.1--nas.c.2 desk.c.2--lab.c.2 nas.c.1--lab.c.1" {
		t.Error(got)
	}
}

// A single item of links needs no dash.
func TestSingleLink(t *testing.T) {
	f, problems := loadText(t, `fabric: t
hosts:
  a: {nics: {c: {part: {kind: nic, speed: 40G, cage: qsfp+}}}}
  b: {nics: {c: {part: {kind: nic, speed: 10G, cage: sfp+}}}}
  d: {nics: {c: {part: {kind: nic, speed: 10G, cage: sfp+}}}}
switches: {sw: {part: {kind: switch, ports: 4, speed: 40G, cage: qsfp+}}}
links:
  ends: ["[a-b].c", "sw.1"]
`)
	if len(problems) == 0 {
		t.Errorf("[a-b] is not a range: %+v", f.Links[0])
	}
	f, problems = loadText(t, `fabric: t
hosts: {"b[1-2]": {nics: {c: {part: {kind: nic, speed: 10G, cage: sfp+}}}}}
switches: {sw: {part: {kind: switch, ports: 4, speed: 40G, cage: qsfp+}}}
links:
  ends: ["b[1-2].c", "sw.1/[1-2]"]
  cable: {part: {kind: cable, media: dac, ends: [qsfp+, sfp+, sfp+, sfp+, sfp+], length: 1m}}
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if f.Links[1].Name != "b2.c.1--sw.1/2" || f.Links[1].Ends[1].Lane != 2 {
		t.Errorf("%+v", f.Links[1])
	}
}
