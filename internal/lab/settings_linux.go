package lab

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/design/plan"
	"linerate/internal/lab/layout"
)

// settings applies the plan's settings of a host. Settings that a namespace or this kernel does not support are
// recorded as emulated.
func (l *labInit) settings(h *host, list []plan.Setting) error {
	congestion, notes, err := h.apply(list)
	l.info.Congestion = cmp.Or(l.info.Congestion, congestion)
	for _, n := range notes {
		l.notes.add("host", h.name, "%s", n)
	}
	return err
}

// apply applies settings in their order. An address, a route, an MTU or a link that fails is an error, because
// measurements would be wrong. Other failures are notes. It returns the TCP congestion control in effect.
func (h *host) apply(list []plan.Setting) (congestion string, notes []string, err error) {
	err = h.do(func() error {
		if congestion, err = h.tune(); err != nil {
			return err
		}
		for _, s := range list {
			note, err := h.set(s)
			if err != nil {
				return fmt.Errorf("%s: %w", settingText(s), err)
			}
			if note != "" {
				notes = append(notes, note)
			}
		}
		if err := h.multipath(list); err != nil {
			notes = append(notes, err.Error())
		}
		return nil
	})
	return congestion, notes, err
}

// set applies one setting. The note says what differs from the plan.
func (h *host) set(s plan.Setting) (note string, err error) {
	switch s.Kind {
	case plan.SetLink:
		return "", h.onLink(s, h.nl.LinkSetUp)
	case plan.SetMTU:
		return "", h.onLink(s, func(link netlink.Link) error { return h.nl.LinkSetMTU(link, s.Int) })
	case plan.SetAddress:
		return "", h.onLink(s, func(link netlink.Link) error { return h.address(link, s) })
	case plan.SetRoute:
		return "", h.onLink(s, func(link netlink.Link) error { return h.route(link, s) })
	case plan.SetSysctl:
		return sysctl(s), nil
	case plan.SetOffload:
		return offload(s), nil
	case plan.SetQdisc:
		return h.qdisc(s)
	case plan.SetVLAN:
		return h.vlan(s)
	case plan.SetBond:
		return h.bond(s)
	}
	return notOfALab(s), nil
}

// notOfALab returns a note for a planned setting that no namespace supports.
func notOfALab(s plan.Setting) string {
	switch s.Kind {
	case plan.SetQoS:
		return "traffic classes: a lab's links have no PFC, no ETS and no marking, so it leaves them out"
	case plan.SetVFs:
		return "virtual functions: the virtual machines of a lab have links of their own instead"
	}
	return fmt.Sprintf("a lab has no settings of kind %q", s.Kind)
}

func settingText(s plan.Setting) string {
	words := []string{string(s.Kind)}
	for _, w := range []string{s.Interface, s.Key, s.Value} {
		if w != "" {
			words = append(words, w)
		}
	}
	if s.Int != 0 {
		words = append(words, fmt.Sprint(s.Int))
	}
	if s.Prefix.IsValid() {
		words = append(words, s.Prefix.String())
	}
	return strings.Join(words, " ")
}

func (h *host) onLink(s plan.Setting, f func(netlink.Link) error) error {
	link, err := h.nl.LinkByName(s.Interface)
	if err != nil {
		return err
	}
	return f(link)
}

func (h *host) address(link netlink.Link, s plan.Setting) error {
	a := &netlink.Addr{
		IPNet: &net.IPNet{IP: s.Prefix.Addr().AsSlice(), Mask: net.CIDRMask(s.Prefix.Bits(), s.Prefix.Addr().BitLen())},
	}
	if s.Prefix.Addr().Is6() {
		a.Flags = unix.IFA_F_NODAD // avoids a wait of a second for duplicates that cannot exist
	}
	if err := h.nl.AddrAdd(link, a); err != nil && !errors.Is(err, syscall.EEXIST) {
		return err
	}
	return nil
}

func (h *host) route(link netlink.Link, s plan.Setting) error {
	r := &netlink.Route{LinkIndex: link.Attrs().Index}
	if s.Prefix.IsValid() && s.Prefix.Bits() > 0 {
		m := s.Prefix.Masked()
		r.Dst = &net.IPNet{IP: m.Addr().AsSlice(), Mask: net.CIDRMask(m.Bits(), m.Addr().BitLen())}
	}
	if s.Address.IsValid() {
		r.Gw = s.Address.AsSlice()
	} else {
		r.Scope = netlink.SCOPE_LINK
	}
	return h.nl.RouteReplace(r)
}

// sysctl sets a key below net., because only these belong to the host and not to the machine.
func sysctl(s plan.Setting) (note string) {
	file, ok := sysctlFile(s.Key)
	if !ok {
		return fmt.Sprintf("sysctl %s=%s: it is the whole machine's, so the lab leaves it", s.Key, s.Value)
	}
	value := s.AboveDefault() // as linerate apply sets it
	err := os.WriteFile(file, []byte(value), 0)
	switch {
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission):
		return fmt.Sprintf("sysctl %s=%s: this kernel has it for the whole machine or not at all, so the lab leaves it",
			s.Key, value)
	case err != nil:
		return fmt.Sprintf("sysctl %s=%s: the kernel refused it (%v)", s.Key, value, err)
	}
	if got := readSysctl(file); got != strings.Join(strings.Fields(value), " ") {
		return fmt.Sprintf("sysctl %s=%s: the kernel made it %q", s.Key, value, got)
	}
	return ""
}

// sysctlFile returns the file of a key under /proc/sys/net. As in sysctl(8), a key with slashes may contain dots.
func sysctlFile(key string) (string, bool) {
	if !strings.Contains(key, "/") {
		key = strings.ReplaceAll(key, ".", "/")
	}
	file := filepath.Join("/proc/sys", key)
	return file, strings.HasPrefix(file, "/proc/sys/net/")
}

func readSysctl(file string) string {
	b, _ := os.ReadFile(file)
	return strings.Join(strings.Fields(string(b)), " ")
}

// qdisc replaces the root discipline. Links that the lab shapes get their token bucket afterwards, in its place.
func (h *host) qdisc(s plan.Setting) (string, error) {
	link, err := h.nl.LinkByName(s.Interface)
	if err != nil {
		return "", err
	}
	err = h.nl.QdiscReplace(&netlink.GenericQdisc{QdiscType: s.Key,
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0),
			Parent: netlink.HANDLE_ROOT}})
	if err != nil {
		return fmt.Sprintf("qdisc %s on %s: the kernel refused it (%v)", s.Key, s.Interface, err), nil
	}
	if s.Value != "" {
		return fmt.Sprintf("qdisc %s on %s: the lab gives it no parameters (%s)", s.Key, s.Interface, s.Value), nil
	}
	return "", nil
}

// vlan adds a tagged interface; a kernel without 802.1Q gets an untagged one on the same parent.
func (h *host) vlan(s plan.Setting) (string, error) {
	parent, err := h.nl.LinkByName(s.Interface)
	if err != nil {
		return "", err
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.ParentIndex = layout.InterfaceName(s.Key), parent.Attrs().Index
	err = h.nl.LinkAdd(&netlink.Vlan{LinkAttrs: attrs, VlanId: s.Int, VlanProtocol: netlink.VLAN_PROTOCOL_8021Q})
	if !errors.Is(err, syscall.EOPNOTSUPP) {
		return "", err
	}
	if err := h.nl.LinkAdd(&netlink.Macvlan{LinkAttrs: attrs, Mode: netlink.MACVLAN_MODE_BRIDGE}); err != nil {
		return "", fmt.Errorf("this kernel has no 802.1Q (CONFIG_VLAN_8021Q), nor macvlan in its place: %w", err)
	}
	// Without tags both receive each request: the parent must not answer for the address of the VLAN.
	if err := os.WriteFile(filepath.Join("/proc/sys/net/ipv4/conf", s.Interface, "arp_ignore"), []byte("1"),
		0); err != nil {
		return "", err
	}
	return fmt.Sprintf("VLAN %d on %s carries no tag: this kernel has no 802.1Q (CONFIG_VLAN_8021Q)", s.Int,
		s.Interface), nil
}

// bondMode returns the kernel's mode for a mode of the fabric.
func bondMode(mode string) netlink.BondMode {
	switch mode {
	case "lacp":
		return netlink.BOND_MODE_802_3AD
	case "backup":
		return netlink.BOND_MODE_ACTIVE_BACKUP
	case "set":
		return netlink.BOND_MODE_BALANCE_XOR
	}
	return netlink.StringToBondMode(mode)
}

// bond bonds interfaces; a kernel without bonding gets a bridge over the first of them under the bond's name.
func (h *host) bond(s plan.Setting) (string, error) {
	if len(s.Of) == 0 {
		return "", errors.New("the bond has no members")
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name = s.Interface
	bond := netlink.NewLinkBond(attrs)
	bond.Mode = bondMode(s.Key)
	bond.Miimon = 100
	if s.Value != "" {
		bond.XmitHashPolicy = netlink.StringToBondXmitHashPolicy(s.Value)
	}
	var link netlink.Link = bond
	members, note := s.Of, ""
	err := h.nl.LinkAdd(bond)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		link = &netlink.Bridge{LinkAttrs: attrs}
		members = s.Of[:1]
		note = fmt.Sprintf("bond %s has one member, %s, and its rate: this kernel has no bonding (CONFIG_BONDING)",
			s.Interface, s.Of[0])
		err = h.nl.LinkAdd(link)
	}
	if err != nil {
		return "", err
	}
	for i, name := range members {
		member, err := h.nl.LinkByName(name)
		if err != nil {
			return "", fmt.Errorf("member %s: %w", name, err)
		}
		h.nl.LinkSetDown(member) // a bond takes only members that are down
		if err := h.nl.LinkSetMaster(member, link); err != nil {
			return "", fmt.Errorf("member %s: %w", name, err)
		}
		if err := h.nl.LinkSetUp(member); err != nil {
			return "", fmt.Errorf("member %s: %w", name, err)
		}
		if i == 0 && link == bond && bond.Mode == netlink.BOND_MODE_ACTIVE_BACKUP {
			prefer := netlink.NewLinkBond(attrs)
			prefer.Primary = member.Attrs().Index
			if err := h.nl.LinkModify(prefer); err != nil {
				return "", fmt.Errorf("prefer member %s: %w", name, err)
			}
		}
	}
	return note, h.nl.LinkSetUp(link)
}
