package collect

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/facts/parse/probe"
)

// arpSocket sends ARP requests on one interface.
type arpSocket struct {
	fd   int // -1: there is none
	err  error
	link netlink.Link
	mac  [6]byte
	asks []*arpAsk
}

// arpAsk is a requested address with the hosts that answered.
type arpAsk struct {
	address netip.Addr
	sender  netip.Addr // zero: the address is this host's own
	answers []string
}

// openARP opens a socket for each Ethernet interface through which an IPv4 target is reached without a gateway.
func (p *prober) openARP() {
	for _, t := range p.targets {
		if !t.Address.Is4() || t.wayErr != nil || t.link == nil || t.way.Gw != nil || t.link.Attrs().EncapType != "ether" {
			continue
		}
		i := slices.IndexFunc(p.arp, func(a *arpSocket) bool { return a.link.Attrs().Index == t.link.Attrs().Index })
		if i < 0 {
			i = len(p.arp)
			p.arp = append(p.arp, openARP(t.link))
		}
		from := own(t.way.Src)
		p.arp[i].ask(t.Address, from)
		if from.Is4() {
			p.arp[i].ask(from, netip.Addr{})
		}
	}
}

func openARP(link netlink.Link) *arpSocket {
	a := &arpSocket{fd: -1, link: link}
	copy(a.mac[:], link.Attrs().HardwareAddr)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, int(swap16(unix.ETH_P_ARP)))
	if err == nil {
		if err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: swap16(unix.ETH_P_ARP),
			Ifindex: link.Attrs().Index}); err != nil {
			unix.Close(fd)
		}
	}
	if a.err = err; err == nil {
		a.fd = fd
	}
	return a
}

// swap16 returns a number in network byte order.
func swap16(n uint16) uint16 {
	return binary.NativeEndian.Uint16([]byte{byte(n >> 8), byte(n)})
}

func (a *arpSocket) ask(address, sender netip.Addr) {
	if !slices.ContainsFunc(a.asks, func(o *arpAsk) bool { return o.address == address }) {
		a.asks = append(a.asks, &arpAsk{address: address, sender: sender})
	}
}

func (a *arpSocket) send() {
	if a.fd < 0 {
		return
	}
	to := &unix.SockaddrLinklayer{Protocol: swap16(unix.ETH_P_ARP), Ifindex: a.link.Attrs().Index, Halen: 6,
		Addr: [8]byte{255, 255, 255, 255, 255, 255}}
	for _, o := range a.asks {
		sender := [4]byte{}
		if o.sender.Is4() {
			sender = o.sender.As4()
		}
		if err := unix.Sendto(a.fd, arpRequest(a.mac, sender, o.address.As4()), 0, to); err != nil && a.err == nil {
			a.err = err
		}
	}
}

// receive reads one frame; false: there is none.
func (a *arpSocket) receive(b []byte) bool {
	n, _, err := unix.Recvfrom(a.fd, b, 0)
	if err != nil {
		return err == unix.EINTR
	}
	mac, sender, ok := parseARP(b[:n])
	if !ok || mac == a.mac {
		return true
	}
	for _, o := range a.asks {
		if o.address == netip.AddrFrom4(sender) {
			if m := net.HardwareAddr(mac[:]).String(); !slices.Contains(o.answers, m) {
				o.answers = append(o.answers, m)
			}
		}
	}
	return true
}

func (o *arpAsk) lines(err error) string {
	if err != nil {
		return probe.NotTried + fmt.Sprintf("no ARP request can be sent (%v); that needs root or CAP_NET_RAW", err)
	}
	var lines []string
	if !o.sender.IsValid() {
		lines = append(lines, "own")
	}
	slices.Sort(o.answers)
	for _, m := range o.answers {
		lines = append(lines, "answer "+m)
	}
	if len(o.answers) == 0 {
		lines = append(lines, "silent")
	}
	return strings.Join(lines, "\n")
}
