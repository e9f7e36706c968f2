package rdma

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/failure"
	"linerate/internal/base/xslices"
	"linerate/internal/traffic"
)

// rdmaPort is a port of an RDMA device with the address of an experiment.
type rdmaPort struct {
	Device  string
	Port    int
	Link    string // ib, rocev1, rocev2 or iwarp
	GID     int    // index; 0 for InfiniBand and iWARP
	GIDText string
	Soft    bool // no device of the bus: the CPUs do the work of the NIC
}

// Names of a GID's type in sysfs.
// Format: https://docs.kernel.org/admin-guide/abi-stable.html
// (/sys/class/infiniband/DEVICE/ports/PORT/gid_attrs/types/N).
const (
	gidIBRoCEv1 = "IB/RoCE v1"
	gidRoCEv2   = "RoCE v2"
)

// findRDMA finds the port for a local address: of the device that was named, else of that whose interface has the
// address. A RoCE port's GID is that of the address with the wanted type; there is no fixed index that has it.
func findRDMA(sys, netdev string, local netip.Addr, v traffic.VerbsOptions) (rdmaPort, error) {
	class := filepath.Join(sys, "class/infiniband")
	bad := func(subject, text string, args ...any) (rdmaPort, error) {
		return rdmaPort{}, &failure.Error{Code: failure.CodeUnsupported, Subject: subject, Text: fmt.Sprintf(text, args...)}
	}
	devices, err := names(class)
	if err != nil || len(devices) == 0 {
		return bad("RDMA", "this host has no RDMA device (%s is empty or not there); load the NIC's driver (mlx5_ib, "+
			"qedr, irdma, bnxt_re), or make a soft one: rdma link add rxe0 type rxe netdev %s",
			"/sys/class/infiniband", cmp.Or(netdev, "INTERFACE"))
	}
	if v.Device != "" && !slices.Contains(devices, v.Device) {
		return bad("device "+v.Device, "this host has no RDMA device of that name; it has: %s", strings.Join(devices, ", "))
	}
	var seen []string // interfaces of the ports that do not fit
	for _, d := range devices {
		if v.Device != "" && d != v.Device {
			continue
		}
		ports, _ := names(filepath.Join(class, d, "ports"))
		for _, p := range ports {
			number, err := strconv.Atoi(p)
			if err != nil {
				continue
			}
			port := rdmaPort{Device: d, Port: number, Soft: isSoft(class, d)}
			at := filepath.Join(class, d, "ports", p)
			over := portInterfaces(class, d, p, at)
			// To an address of its own a host goes over the loopback; the device is that of the address.
			if v.Device == "" && !slices.Contains(over, netdev) &&
				!(netdev == "lo" && slices.Contains(gids(at), local.Unmap())) {
				seen = append(seen, fmt.Sprintf("%s port %s (over %s)", d, p,
					cmp.Or(strings.Join(over, ", "), "no interface that is known")))
				continue
			}
			return port.addressed(class, at, local, v.Link)
		}
	}
	if netdev == "" {
		return bad(local.String(), "no interface of this host has this address, so its RDMA device is not known; set the "+
			"address, or name the device (--device %s)", devices[0])
	}
	if netdev == "lo" {
		return bad(netdev, "the address %s is on the loopback interface, over which no RDMA device works; there are: %s; "+
			"put it on the interface of one of them (ip address add)", local, strings.Join(seen, ", "))
	}
	return bad(netdev, "no RDMA device of this host works over %s, which has the address %s; there are: %s; make a "+
		"soft one (rdma link add rxe0 type rxe netdev %s), or name the device (--device)",
		netdev, local, strings.Join(seen, ", "), netdev)
}

// addressed checks the state of a port, and finds the GID of the address.
func (p rdmaPort) addressed(class, at string, local netip.Addr, want string) (rdmaPort, error) {
	subject := fmt.Sprintf("%s port %d", p.Device, p.Port)
	bad := func(text string, args ...any) (rdmaPort, error) {
		return rdmaPort{}, &failure.Error{Code: failure.CodeUnsupported, Subject: subject, Text: fmt.Sprintf(text, args...)}
	}
	layer := value(at, "link_layer")
	rnic := strings.Contains(value(filepath.Join(class, p.Device), "node_type"), "RNIC")
	switch {
	case layer == "InfiniBand":
		p.Link = traffic.LinkIB
	case rnic:
		p.Link = traffic.LinkIWARP
	case want == traffic.LinkRoCEv1:
		p.Link = traffic.LinkRoCEv1
	default:
		p.Link = traffic.LinkRoCEv2
	}
	if want != "" && (want == traffic.LinkIB) != (p.Link == traffic.LinkIB) {
		return bad("its link layer is %s, and the plan wants %s; set the port's type (mlxconfig -d DEVICE set "+
			"LINK_TYPE_P%d=%d, then restart), or the fabric's mode and rdma",
			cmp.Or(layer, "not known"), want, p.Port, map[bool]int{true: 1, false: 2}[want == traffic.LinkIB])
	}
	if want != "" && (want == traffic.LinkIWARP) != (p.Link == traffic.LinkIWARP) {
		return bad("it speaks %s, and the plan wants %s; correct rdma of the NIC in the fabric file",
			map[bool]string{true: "iWARP", false: "RoCE"}[p.Link == traffic.LinkIWARP], want)
	}
	if state := value(at, "state"); state != "" && !strings.Contains(state, "ACTIVE") {
		if p.Link == traffic.LinkIB && strings.Contains(state, "INIT") {
			return bad("its state is INIT: no subnet manager has configured it; start one on one host of the network " +
				"(opensm), or on the switch")
		}
		if _, word, ok := strings.Cut(state, ": "); ok { // "1: DOWN"
			state = word
		}
		return bad("its state is %s and not ACTIVE; is its interface up (ip link set dev %s up)? Else look at the cable "+
			"and at the other end (ip link, ibstat)", state,
			append(portInterfaces(class, p.Device, strconv.Itoa(p.Port), at), "INTERFACE")[0])
	}
	if p.Link == traffic.LinkIB || p.Link == traffic.LinkIWARP {
		p.GIDText = value(at, "gids/0")
		return p, nil
	}
	kind := gidRoCEv2
	if p.Link == traffic.LinkRoCEv1 {
		kind = gidIBRoCEv1
	}
	entries, _ := names(filepath.Join(at, "gids"))
	slices.SortFunc(entries, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	var there []string
	for _, i := range entries {
		gid, err := netip.ParseAddr(value(at, "gids/"+i))
		if err != nil || gid.IsUnspecified() {
			continue
		}
		is := value(at, "gid_attrs/types/"+i)
		if gid.Unmap() == local.Unmap() && is == kind {
			p.GID, p.GIDText = number(i), gid.String()
			return p, nil
		}
		there = append(there, fmt.Sprintf("%s %s (%s)", i, gid.Unmap(), cmp.Or(is, "type not known")))
	}
	return bad("it has no GID of type %s for the address %s; it has: %s; set the address on the interface under it, "+
		"and look at the NIC's RoCE mode (cma_roce_mode)",
		kind, local, cmp.Or(strings.Join(there, ", "), "none"))
}

// gids returns the addresses in a port's table.
func gids(at string) (out []netip.Addr) {
	entries, _ := names(filepath.Join(at, "gids"))
	for _, i := range entries {
		if gid, err := netip.ParseAddr(value(at, "gids/"+i)); err == nil && !gid.IsUnspecified() {
			out = append(out, gid.Unmap())
		}
	}
	return out
}

// portInterfaces returns the interfaces of a port: those of its GIDs, else that of its device with its number.
func portInterfaces(class, device, port, at string) (out []string) {
	dir := filepath.Join(at, "gid_attrs/ndevs")
	entries, _ := names(dir)
	for _, i := range entries {
		if n := value(dir, i); n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	nets, _ := names(filepath.Join(class, device, "device/net"))
	for _, n := range nets {
		text := value(filepath.Join(class, device, "device/net", n), "dev_port")
		if dev, err := strconv.Atoi(text); (err != nil || strconv.Itoa(dev+1) == port) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if parent := value(filepath.Join(class, device), "parent"); parent != "" && !slices.Contains(out, parent) {
		out = append(out, parent) // rxe
	}
	return out
}

// isSoft reports whether the kernel emulates the NIC: such a device has no device of a bus.
func isSoft(class, device string) bool {
	_, err := os.Stat(filepath.Join(class, device, "device"))
	return errors.Is(err, fs.ErrNotExist)
}

func names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := xslices.Map(entries, os.DirEntry.Name)
	return out, nil
}

// value returns the text of a small file; empty: it cannot be read, as the attributes of an empty GID.
func value(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
