package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/ethtool"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/storage"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// Reads this host as the user of the test, without any tool.
func TestCollectHere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Setenv("PATH", "")
	text, err := Collect(context.Background(), facts.Full, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := read.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if f.OS != "linux" || f.Host == "" || f.Kernel == "" || f.When.IsZero() || !f.Uptime.IsKnown() {
		t.Errorf("header %+v", f)
	}
	if len(f.CPU.Cores) == 0 || len(f.Softnet) == 0 || f.NIC("lo") == nil || f.NIC("lo").MTU == 0 ||
		!f.Memory.IsKnown() || !f.TCP.RMem.IsKnown() {
		t.Errorf("%+v", f)
	}
	if _, ok := f.Counters["Tcp.RetransSegs"]; !ok {
		t.Error("no Tcp.RetransSegs")
	}
	for _, u := range f.Unknown {
		if strings.Contains(u.Reason, "internal error") || strings.Contains(u.Reason, "no parser") {
			t.Error(u)
		}
	}
	counters, err := Collect(context.Background(), facts.Counters, "")
	if err != nil {
		t.Fatal(err)
	}
	g, err := read.Parse(counters)
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := facts.CounterDelta(f, g, "lo", "rx_bytes"); !ok {
		t.Errorf("lo received %d, %v", n, ok)
	}
}

func TestCollectRefuses(t *testing.T) {
	if _, err := Collect(context.Background(), "some", ""); err == nil || !strings.Contains(err.Error(), `"some"`) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Collect(ctx, facts.Full, ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A panic while a source is read costs this source.
func TestReadPanic(t *testing.T) {
	c := &collector{ctx: context.Background()}
	c.read("a", func() ([]byte, error) { panic("bad message") })
	c.read("b", func() ([]byte, error) { return []byte("1\n"), nil })
	c.file("proc/none", "/proc/none", nil)
	if len(c.files) != 1 || len(c.head.Unknown) != 2 || !strings.Contains(c.head.Unknown[0].Reason, "bad message") ||
		c.head.Unknown[1] != (facts.Unknown{Subject: "proc/none", Reason: "it is not there (no such file or directory)"}) {
		t.Errorf("%+v, %+v", c.files, c.head.Unknown)
	}
}

func TestDump(t *testing.T) {
	tries := 0
	if _, err := dump(func() (int, error) {
		tries++
		return 0,
			fmt.Errorf("links: %w", netlink.ErrDumpInterrupted)
	}); err == nil || !strings.HasPrefix(err.Error(), "unstable") || tries != dumpTries {
		t.Errorf("%v after %d tries", err, tries)
	}
	tries = 0
	v, err := dump(func() (int, error) {
		if tries++; tries < 3 {
			return 0, netlink.ErrDumpInterrupted
		}
		return 7, nil
	})
	if v != 7 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}

// inNamespace runs f on a thread in a network namespace of its own, which ends with the thread. It is never the main
// thread, which stands for the process.
func inNamespace(t *testing.T, f func()) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	done := make(chan error, 1)
	var run func()
	run = func() {
		runtime.LockOSThread() // not unlocked: the thread ends with the goroutine
		if unix.Gettid() == unix.Getpid() {
			finished := make(chan struct{})
			go func() { defer close(finished); run() }() // on another one, as this one is taken
			<-finished
			runtime.UnlockOSThread()
			return
		}
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			done <- err
			return
		}
		defer func() { done <- nil }() // also when f ends the goroutine by t.Fatal
		f()
	}
	go run()
	if err := <-done; err != nil {
		testenv.Missing(t, fmt.Sprintf("a network namespace: %v", err))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The calling thread's namespace is read, not that of the process, nor the one that the mounted sysfs shows.
func TestCollectNamespace(t *testing.T) {
	inNamespace(t, func() {
		veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "left", MTU: 9000}, PeerName: "right"}
		must(t, netlink.LinkAdd(veth))
		link, err := netlink.LinkByName("left")
		must(t, err)
		must(t, netlink.LinkSetUp(link))
		must(t, netlink.AddrAdd(link, &netlink.Addr{IPNet: &net.IPNet{IP: net.IPv4(10, 7, 0, 1),
			Mask: net.CIDRMask(24, 32)}}))
		must(t, netlink.AddrAdd(link, &netlink.Addr{IPNet: &net.IPNet{IP: net.IPv4(10, 8, 0, 1), Mask: net.CIDRMask(32, 32)},
			Peer: &net.IPNet{IP: net.IPv4(10, 8, 0, 2), Mask: net.CIDRMask(32, 32)}}))
		must(t, netlink.QdiscReplace(&netlink.Tbf{QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index,
			Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
			Rate: 12.5e6, Limit: 100000, Buffer: netlink.Xmittime(12.5e6, 20000)}))
		text, err := Collect(context.Background(), facts.Full, "")
		must(t, err)
		f, err := read.Parse(text)
		must(t, err)
		names := []string{}
		for _, nic := range f.NICs {
			names = append(names, nic.Name)
		}
		slices.Sort(names)
		if !slices.Equal(names, []string{"left", "lo", "right"}) {
			t.Fatalf("interfaces %v", names)
		}
		left := f.NIC("left")
		if left.MTU != 9000 || left.Kind != "veth" || left.Driver.Or("") != "veth" ||
			!left.Offloads["tx-tcp-segmentation"] || left.Driven == nil {
			t.Errorf("%+v", left)
		}
		if !slices.Contains(left.Addresses, netip.MustParsePrefix("10.7.0.1/24")) ||
			!slices.Contains(left.Addresses, netip.MustParsePrefix("10.8.0.1/32")) {
			t.Errorf("addresses %v", left.Addresses)
		}
		if q := left.Qdiscs; len(q) != 1 || q[0].Rate.Or(0) != 100e6 || q[0].Limit.Or(0) != 100000 ||
			q[0].Burst.Or(0) < 19900 || q[0].Burst.Or(0) > 20000 {
			t.Errorf("qdiscs %+v", q)
		}
		if r, ok := f.RouteTo(netip.MustParseAddr("10.7.0.9")); !ok || r.Interface != "left" {
			t.Errorf("%+v", r)
		}
		if f.Counters["Tcp.ActiveOpens"] != 0 || f.Counters["IpExt.InOctets"] != 0 {
			t.Error("counters of another namespace")
		}
		if right := f.NIC("right"); right.Up || right.Carrier.IsKnown() {
			t.Errorf("right is off: %+v", right)
		}
		if strings.Contains(string(text), "\n-- sys/class/net/") {
			t.Errorf("the sysfs of another namespace:\n%s", text)
		}
	})
}

// Addresses change while they are read: each snapshot has the whole list, or none of it with the reason.
func TestCollectUnstable(t *testing.T) {
	inNamespace(t, func() {
		link, err := netlink.LinkByName("lo")
		must(t, err)
		must(t, netlink.LinkSetUp(link))
		h, err := netlink.NewHandle(unix.NETLINK_ROUTE) // of this namespace, for the other goroutine
		must(t, err)
		defer h.Close()
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				a := &netlink.Addr{IPNet: &net.IPNet{IP: net.IPv4(10, 7, byte(i%500/250), byte(i%250+1)),
					Mask: net.CIDRMask(32, 32)}}
				if i%1000 < 500 {
					_ = h.AddrAdd(link, a)
				} else {
					_ = h.AddrDel(link, a)
				}
			}
		}()
		for range 20 {
			text, err := Collect(context.Background(), facts.Full, "")
			if err != nil {
				t.Error(err)
				break
			}
			f, err := read.Parse(text)
			if err != nil {
				t.Error(err)
				break
			}
			unstable := false
			for _, u := range f.Unknown {
				if strings.Contains(u.Reason, "internal error") {
					t.Error(u)
				}
				unstable = unstable || u.Subject == "ip -j address" && strings.HasPrefix(u.Reason, "unstable")
			}
			if lo := f.NIC("lo"); lo == nil || len(lo.Addresses) == 0 && !unstable {
				t.Errorf("loopback has no address and no reason: %v", f.Unknown)
			}
		}
		close(stop)
		<-stopped
	})
}

// The kernel's answers match those of ip and tc, where they are installed.
func TestSameAsTools(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, tool := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(tool); err != nil {
			testenv.Missing(t, fmt.Sprintf("%v (Debian: iproute2)", err))
		}
	}
	inNamespace(t, func() {
		run := func(command string) []byte {
			words := strings.Fields(command)
			out, err := exec.Command(words[0], words[1:]...).Output()
			if err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			return out
		}
		for _, command := range []string{
			"ip link set lo up",
			"ip link add br0 mtu 1400 type bridge",
			"ip link add left mtu 9000 type veth peer name right",
			"ip link set left addrgenmode none", "ip link set right addrgenmode none", // link-local addresses appear late
			"ip link set right master br0", "ip link set left up", "ip link set right up",
			"ip addr add 10.7.0.1/24 dev left", "ip addr add fd00:7::1/64 dev left nodad",
			"ip route add default via 10.7.0.9 metric 7", "ip route add blackhole 10.66.0.0/16",
			"ip route add 10.67.0.1 via 10.7.0.8 src 10.7.0.1",
			"ip route add 10.68.0.0/16 nexthop via 10.7.0.8 weight 1 nexthop via 10.7.0.9 weight 2",
			"ip route add 10.69.0.0/16 via inet6 fd00:7::9", "ip -6 route add default via fd00:7::9",
			"tc qdisc add dev left root tbf rate 123456kbit burst 64kb limit 300kb",
			"tc qdisc add dev right root handle 2: htb default 20",
			"tc class add dev right parent 2: classid 2:1 htb rate 100mbit ceil 200mbit",
			"tc class add dev right parent 2:1 classid 2:20 htb rate 10mbit ceil 900mbit",
		} {
			run(command)
		}
		var pasted snapshot.Archive
		for _, command := range []string{"ip -j -d -s -s link", "ip -j addr", "ip -j route", "ip -j rule", "ip -j -6 route",
			"ip -j -6 rule", "tc -s -d qdisc", "tc -s class show dev right"} {
			pasted.Files = append(pasted.Files, snapshot.File{Name: command, Data: run(command)})
		}
		theirs, err := read.Parse(pasted.Bytes())
		must(t, err)
		text, err := Collect(context.Background(), facts.Full, "")
		must(t, err)
		ours, err := read.Parse(text)
		must(t, err)
		if len(theirs.Unknown) != 0 || len(ours.NICs) != 4 || len(theirs.NICs) != 4 {
			t.Fatalf("unknown %v; interfaces %v and %v", theirs.Unknown, ours.NICs, theirs.NICs)
		}
		for _, b := range theirs.NICs {
			a := ours.NIC(b.Name)
			if a == nil || a.Index != b.Index || a.MTU != b.MTU || a.Kind != b.Kind || a.Master != b.Master ||
				a.MAC != b.MAC && b.Name != "lo" || a.Up != b.Up || a.Carrier != b.Carrier ||
				!slices.Equal(a.Addresses, b.Addresses) || len(a.Qdiscs) != len(b.Qdiscs) {
				t.Errorf("the kernel says %+v, ip %+v", a, b)
				continue
			}
			for i, q := range b.Qdiscs {
				p := a.Qdiscs[i]
				if p.Kind != q.Kind || p.Handle != q.Handle || p.Parent != q.Parent || p.Rate != q.Rate ||
					len(p.Classes) != len(q.Classes) {
					t.Errorf("%s: the kernel says %+v, tc %+v", b.Name, p, q)
				}
				if x, y := float64(p.Limit.Or(0)), float64(q.Limit.Or(0)); x < y*0.98 ||
					x > y*1.02 { // tc rounds the delay that it prints
					t.Errorf("%s: a limit of %v, %v by tc", b.Name, x, y)
				}
			}
			for name := range b.Counters {
				if _, ok := a.Counters[name]; !ok && name != "carrier_changes" {
					t.Errorf("%s: ip has a counter %s", b.Name, name)
				}
			}
		}
		if !slices.Equal(ours.Routes, theirs.Routes) {
			t.Errorf("the kernel says\n%v, ip\n%v", ours.Routes, theirs.Routes)
		}
		if ours.Rules.Or(-1) != 0 || theirs.Rules.Or(-1) != 0 {
			t.Errorf("rules %v, %v", ours.Rules, theirs.Rules)
		}
		if q := ours.NIC("right").Qdiscs[0]; q.Rate.Or(0) != 200e6 {
			t.Errorf("right %+v", q)
		}
	})
}

// The RDMA device of a fixture, as a tree of files, gives the same facts.
func TestCollectInfiniband(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(root+name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(root+name, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("../../facts/read/testdata/guest.full.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want, err := read.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok &&
			strings.HasPrefix(name, "/sys/class/infiniband/") {
			write(strings.TrimPrefix(name, "/sys"), value)
		}
	}
	write("/class/infiniband/rxe0/fw_ver", "")
	for i := 2; i < 12; i++ {
		write(fmt.Sprintf("/class/infiniband/rxe0/ports/1/gids/%d", i), "0000:0000:0000:0000:0000:0000:0000:0000")
	}
	write("/class/net/card/ifindex", "2")
	write("/class/net/card/address", "52:54:00:00:00:01")
	write("/class/net/bonding_masters", "")
	nic := iproute.Link{Index: 2, Name: "card", Address: "52:54:00:00:00:01"}
	collected := func(links ...iproute.Link) *facts.Facts {
		t.Helper()
		c := &collector{ctx: context.Background(), head: snapshot.Header{OS: "linux"}}
		c.infiniband(root, links)
		a := snapshot.Archive{Comment: c.head.Text(), Files: c.files}
		f, err := read.Parse(a.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}

	// A program with the same name that prints the guest's output.
	tools := t.TempDir()
	script := "#!/bin/sh\nprintf 'hca_id:\\trxe0\\n\\tfw_ver: 0.0.0\\n\\t\\tport: 1\\n\\t\\t\\tmax_mtu: 4096 " +
		"(5)\\n\\t\\t\\tactive_mtu: 1024 (3)\\n'\n"
	if err := os.WriteFile(tools+"/ibv_devinfo", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+":/usr/bin:/bin")
	if got := collected(nic); !reflect.DeepEqual(got.RDMA, want.RDMA) {
		t.Errorf("%+v\nwant %+v", got.RDMA, want.RDMA)
	}

	t.Setenv("PATH", t.TempDir())
	got := collected(nic)
	p := got.RDMA[0].Ports[0]
	if p.ActiveMTU.IsKnown() || !strings.Contains(p.ActiveMTU.Why(),
		"sysfs does not name it, and ibv_devinfo: the program ibv_devinfo is not here") ||
		got.RDMA[0].Firmware.Why() != "it is empty" {
		t.Errorf("without ibv_devinfo: %v %s; firmware %s", p.ActiveMTU, p.ActiveMTU.Why(), got.RDMA[0].Firmware.Why())
	}
	if other := collected(iproute.Link{Index: 3, Name: "card", Address: "52:54:00:00:00:01"}); other.RDMA != nil ||
		!strings.Contains(other.Unknown[0].Reason, "another network namespace") {
		t.Errorf("a sysfs of another network namespace: %+v", other)
	}
	if blind := collected(); blind.RDMA != nil ||
		!strings.Contains(blind.Unknown[0].Reason, "the interfaces are not known") {
		t.Errorf("without interfaces: %+v", blind)
	}
	if err := os.RemoveAll(root + "/class/infiniband"); err != nil {
		t.Fatal(err)
	}
	if none := collected(nic); none.RDMA == nil || len(none.RDMA) != 0 || len(none.Unknown) != 0 {
		t.Errorf("a kernel that has nothing of RDMA has no device: %+v", none)
	}
}

// The layers of block devices in a tree as in sysfs.
func TestCollectDrives(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"block/sda/sda1/partition", "block/dm-0/slaves/sda1", "block/sda/queue/nr_requests"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte("1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &collector{ctx: context.Background()}
	c.layers(root)
	if len(c.files) != 1 || c.files[0].Name != storage.LayersSource {
		t.Fatalf("%+v", c.files)
	}
	f := parse.NewBuilder(new(facts.Facts))
	if err := storage.ReadLayers(f, nil, c.files[0].Data); err != nil ||
		!slices.Equal(f.Below("dm-0"), []string{"sda1", "sda"}) {
		t.Errorf("%v: %s", err, c.files[0].Data)
	}
}

// The counters of this machine's drives are read at both levels.
func TestCollectDrivesHere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	kernel, err := os.ReadFile("/proc/diskstats")
	for _, level := range []facts.Level{facts.Counters, facts.Full} {
		text, cerr := Collect(context.Background(), level, "")
		if cerr != nil {
			t.Fatal(cerr)
		}
		f, perr := read.Parse(text)
		if perr != nil {
			t.Fatal(perr)
		}
		if err == nil && len(kernel) > 0 && len(f.Storage.Blocks) == 0 {
			t.Errorf("%s: no counters of drives", level)
		}
	}
}

// The kernel's link modes read back as those that ethtool prints.
func TestRenderedModes(t *testing.T) {
	var b strings.Builder
	b.WriteString("Settings for e1:\n")
	renderModes(&b, "Supported link modes",
		[]uint32{1<<12 | 1<<31 | 1<<6, 1 << 0}) // 10000baseT, 25000baseCR, Autoneg, 25000baseKR
	renderModes(&b, "Advertised link modes", []uint32{0, 0})
	renderSpeed(&b, 25000, 1)
	f := parse.NewBuilder(new(facts.Facts))
	if err := ethtool.ReadEthtoolLink(f, []string{"e1"}, []byte(b.String())); err != nil {
		t.Fatal(err)
	}
	w := f.Interface("e1").Wire
	var names []string
	for _, m := range w.Supported {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "10000baseT/Full 25000baseCR/Full 25000baseKR/Full" ||
		len(w.Advertised) != 0 || facts.Fastest(w.Supported) != 25e9 || f.Interface("e1").Speed.Or(0) != 25e9 {
		t.Errorf("%s; %+v; from %s", got, w, b.String())
	}
}

// The kept part of a log gives the same facts as all of it, and has neither the kernel's command line nor unrelated
// lines.
func TestKeepLog(t *testing.T) {
	const log = "<5>[    0.000000] Command line: BOOT_IMAGE=/vmlinuz luks=secret module=x\n" +
		"<6>[    0.000000] Kernel command line: BOOT_IMAGE=/vmlinuz luks=secret cable\n" +
		"<6>[    1.000000] EXT4-fs (vda): mounted filesystem\n" +
		"<6>[    2.000000] mlx5_core 0000:01:00.0: 15.752 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x2 link " +
		"at 0000:00:01.0 (capable of 126.016 Gb/s with 16.0 GT/s PCIe x8 link)\n" +
		"<6>[    3.000000] br0: port 1(right) entered disabled state\n" +
		"<6>[    9.000000] ixgbe 0000:06:00.1 eth4: NIC Link is Down\n"
	kept := keepLog([]byte(log))
	if s := string(kept); strings.Contains(s, "secret") || strings.Contains(s, "EXT4") || strings.Contains(s, "br0") ||
		strings.Count(s, "\n") != 2 {
		t.Errorf("%s", s)
	}
	for _, text := range []string{log, string(kept)} {
		f, err := read.Parse([]byte("host h\nos linux\n-- dmesg --\n" + text))
		if err != nil || len(f.Unknown) > 0 || len(f.Events) != 2 || f.Events[0].What != facts.BusNarrow ||
			f.Events[1].Subject != "eth4" {
			t.Errorf("%v %+v", err, f)
		}
	}
	if f, err := read.Parse(
		[]byte("host h\nos linux\n-- dmesg --\n" + string(keepLog([]byte("<6>[ 1.0] EXT4-fs\n"))))); err != nil ||
		len(f.Unknown)+len(f.Events) > 0 {
		t.Errorf("%v %+v", err, f)
	}
	var long bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&long, "<6>[%5d.000000] ixgbe 0000:06:00.1 eth4: NIC Link is Down\n", i)
	}
	kept = keepLog(long.Bytes())
	if len(kept) > keptLogStart+keptLogEnd+100 || !bytes.HasPrefix(kept, long.Bytes()[:1000]) ||
		!bytes.HasSuffix(kept, long.Bytes()[long.Len()-1000:]) || bytes.Count(kept, []byte("\n# lines between")) != 1 {
		t.Errorf("%d bytes are kept", len(kept))
	}
}
