package collect

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/facts"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/read"
)

// A peer whose interface accepts 1500 bytes behind one that accepts 9000, an unused address, and one without a route.
func TestProbe(t *testing.T) {
	inNamespace(t, func() {
		must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "left", MTU: 9000}, PeerName: "right"}))
		right, err := netlink.LinkByName("right")
		must(t, err)
		moved, done, over := make(chan error), make(chan bool), make(chan string, 1)
		defer close(done)
		started := make(chan int)
		go func() { // creates the peer's namespace, which ends with its thread
			runtime.LockOSThread()
			if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
				over <- err.Error()
				close(started)
				return
			}
			started <- unix.Gettid()
			if err := <-moved; err == nil {
				over <- setUp("right", 1500, "10.7.0.2/24")
			}
			<-done
		}()
		thread, ok := <-started
		if !ok {
			t.Fatal(<-over)
		}
		ns, err := os.Open(fmt.Sprintf("/proc/self/task/%d/ns/net", thread))
		must(t, err)
		defer ns.Close()
		must(t, netlink.LinkSetNsFd(right, int(ns.Fd())))
		moved <- nil
		if why := <-over; why != "" {
			t.Fatal(why)
		}
		if why := setUp("left", 9000, "10.7.0.1/24"); why != "" {
			t.Fatal(why)
		}
		peer, nobody, away := netip.MustParseAddr("10.7.0.2"), netip.MustParseAddr("10.7.0.9"),
			netip.MustParseAddr("10.99.0.1")
		text := Probe(context.Background(), []probe.ProbeTarget{{Address: peer, MTU: 9000}, {Address: nobody, MTU: 9000},
			{Address: away, MTU: 1500}})
		f, err := read.Parse(append([]byte("host a\nos linux\n"), text...))
		must(t, err)
		v, ok := f.Probes.Path(peer)
		if !ok || v.Asked != 9000 || v.Through.Or(0) != 1500 || v.TooBig || !v.RTT.IsKnown() {
			t.Errorf("%+v\n%s", v, text)
		}
		if w, ok := f.Probes.Way(peer); !ok || w.Interface != "left" || w.From.String() != "10.7.0.1" {
			t.Errorf("%+v", w)
		}
		i := slices.IndexFunc(f.Probes.Owners, func(o facts.OwnerProbe) bool { return o.Address == peer })
		if i < 0 || len(f.Probes.Owners[i].Answers) != 1 ||
			f.Probes.Owners[i].Answers[0] != right.Attrs().HardwareAddr.String() {
			t.Errorf("%+v", f.Probes.Owners)
		}
		var subjects []string
		for _, u := range f.Unknown {
			subjects = append(subjects, u.Subject)
		}
		if got := strings.Join(subjects, ", "); got != "probe mtu 10.7.0.9, ip route get 10.99.0.1, probe mtu 10.99.0.1" {
			t.Errorf("unknown: %v", f.Unknown)
		}
	})
}

// setUp brings an interface of the thread's namespace up; empty: it is up.
func setUp(name string, mtu int, address string) string {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err.Error()
	}
	ip, network, err := net.ParseCIDR(address)
	if err == nil {
		err = netlink.LinkSetMTU(link, mtu)
	}
	if err == nil {
		err = netlink.AddrAdd(link, &netlink.Addr{IPNet: &net.IPNet{IP: ip, Mask: network.Mask}})
	}
	if err == nil {
		err = netlink.LinkSetUp(link)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
