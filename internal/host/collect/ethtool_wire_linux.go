package collect

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/safchain/ethtool"
	"golang.org/x/sys/unix"
)

// wire adds what the driver reports about the physical link of an adapter's port. The program ethtool reads the module:
// only root may read it, and ethtool can decode it.
func (c *collector) wire(e *ethtool.Ethtool, name string) {
	c.read("ethtool --show-fec "+name, func() ([]byte, error) { return renderFEC(name) })
	c.read("ethtool -a "+name, func() ([]byte, error) {
		p, err := e.GetPause(name)
		if err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, "Pause parameters for %s:\nAutonegotiate:\t%s\nRX:\t\t%s\nTX:\t\t%s\n", name,
			onOff(p.Autoneg != 0), onOff(p.RxPause != 0), onOff(p.TxPause != 0)), nil
	})
	c.read("ethtool -g "+name, func() ([]byte, error) {
		r, err := e.GetRing(name)
		if err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, "Ring parameters for %s:\nPre-set maximums:\nRX:\t\t%d\nTX:\t\t%d\nCurrent hardware "+
			"settings:\nRX:\t\t%d\nTX:\t\t%d\n", name, r.RxMaxPending, r.TxMaxPending, r.RxPending, r.TxPending), nil
	})
	c.read("ethtool -c "+name, func() ([]byte, error) {
		v, err := e.GetCoalesce(name)
		if err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, "Coalesce parameters for %s:\nAdaptive RX: %s  TX: %s\nrx-usecs: %d\nrx-frames: "+
			"%d\ntx-usecs: %d\ntx-frames: %d\n", name, onOff(v.UseAdaptiveRxCoalesce != 0), onOff(v.UseAdaptiveTxCoalesce != 0),
			v.RxCoalesceUsecs, v.RxMaxCoalescedFrames, v.TxCoalesceUsecs, v.TxMaxCoalescedFrames), nil
	})
	c.read("ethtool --show-priv-flags "+name, func() ([]byte, error) {
		flags, err := e.PrivFlags(name)
		if err != nil {
			return nil, err
		}
		if len(flags) == 0 {
			return nil, unix.EOPNOTSUPP
		}
		var b strings.Builder
		fmt.Fprintf(&b, "Private flags for %s:\n", name)
		for _, key := range slices.Sorted(maps.Keys(flags)) {
			fmt.Fprintf(&b, "%s: %s\n", key, onOff(flags[key]))
		}
		return []byte(b.String()), nil
	})
	c.read("ethtool -m "+name, func() ([]byte, error) {
		text, err := ask(c.ctx, "ethtool", "ethtool", "-m", name)
		switch {
		case err != nil && strings.Contains(err.Error(), "not permitted"):
			err = unix.EPERM
		case err != nil && strings.Contains(err.Error(), "not supported"):
			err = unix.EOPNOTSUPP
		}
		return text, err
	})
}

// ioctl queries the kernel about an interface; request is one of ethtool's structures.
func ioctl(name string, request unsafe.Pointer) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var ifr struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte // the kernel's is a union
	}
	copy(ifr.name[:unix.IFNAMSIZ-1], name)
	ifr.data = request
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&ifr)))
	runtime.KeepAlive(request)
	if errno != 0 {
		return errno
	}
	return nil
}

// renderLinkSettings prints the supported, advertised and present modes of the port. The kernel first reports the
// length of its lists of modes in words: https://docs.kernel.org/networking/ethtool-netlink.html (LINKMODES_GET),
// linux/ethtool.h. The library's own call of it is not used: it prints to standard output, which the agent's protocol
// runs over. A driver with only the older call has no lists.
func renderLinkSettings(e *ethtool.Ethtool, name string) ([]byte, error) {
	var req struct {
		ethtool.EthtoolLinkSettingsFixed
		masks [3 * 127]uint32
	}
	req.Cmd = unix.ETHTOOL_GLINKSETTINGS
	err := ioctl(name, unsafe.Pointer(&req))
	words := -int(req.LinkModeMasksNwords)
	var b strings.Builder
	fmt.Fprintf(&b, "Settings for %s:\n", name)
	if err == nil && words > 0 && words <= 127 {
		req.Cmd, req.LinkModeMasksNwords = unix.ETHTOOL_GLINKSETTINGS, int8(words)
		if err = ioctl(name, unsafe.Pointer(&req)); err == nil && int(req.LinkModeMasksNwords) == words {
			renderModes(&b, "Supported link modes", req.masks[:words])
			renderModes(&b, "Advertised link modes", req.masks[words:2*words])
			if anySet(req.masks[2*words : 3*words]) {
				renderModes(&b, "Link partner advertised link modes", req.masks[2*words:3*words])
			}
			renderSpeed(&b, req.Speed, req.Duplex)
			fmt.Fprintf(&b, "\tAuto-negotiation: %s\n", onOff(req.Autoneg != 0))
			if port, ok := map[uint8]string{0: "Twisted Pair", 1: "AUI", 2: "MII", 3: "FIBRE", 4: "BNC",
				5: "Direct Attach Copper", 0xef: "None", 0xff: "Other"}[req.Port]; ok {
				fmt.Fprintf(&b, "\tPort: %s\n", port)
			}
			return detected(&b, e, name), nil
		}
	}
	var cmd ethtool.EthtoolCmd
	speed, err := e.CmdGet(&cmd, name)
	if err != nil {
		return nil, err
	}
	renderSpeed(&b, speed, cmd.Duplex)
	return detected(&b, e, name), nil
}

// anySet reports whether a bit is set.
func anySet(mask []uint32) bool {
	return slices.ContainsFunc(mask, func(w uint32) bool { return w != 0 })
}

func renderModes(b *strings.Builder, head string, mask []uint32) {
	none := "Not reported"
	before := "\t" + head + ":  "
	for bit, name := range linkModes {
		if name == "" || bit/32 >= len(mask) || mask[bit/32]>>(bit%32)&1 == 0 {
			continue
		}
		b.WriteString(before + name + "\n")
		before, none = "\t"+strings.Repeat(" ", len(head)+3), ""
	}
	if none != "" {
		b.WriteString(before + none + "\n")
	}
}

func renderSpeed(b *strings.Builder, speed uint32, duplex uint8) {
	if speed == 0 || speed >= 1<<31 {
		b.WriteString("\tSpeed: Unknown!\n")
	} else {
		fmt.Fprintf(b, "\tSpeed: %dMb/s\n", speed)
	}
	switch duplex {
	case 0: // DUPLEX_HALF of linux/ethtool.h
		b.WriteString("\tDuplex: Half\n")
	case 1: // DUPLEX_FULL
		b.WriteString("\tDuplex: Full\n")
	default:
		fmt.Fprintf(b, "\tDuplex: Unknown! (%d)\n", duplex)
	}
}

func detected(b *strings.Builder, e *ethtool.Ethtool, name string) []byte {
	if up, err := e.LinkState(name); err == nil {
		fmt.Fprintf(b, "\tLink detected: %s\n", map[bool]string{true: "yes", false: "no"}[up != 0])
	}
	return []byte(b.String())
}

// renderFEC prints the configured correction and the one in effect. Source: struct ethtool_fecparam of linux/ethtool.h.
func renderFEC(name string) ([]byte, error) {
	req := struct{ cmd, active, fec, reserved uint32 }{cmd: unix.ETHTOOL_GFECPARAM}
	if err := ioctl(name, unsafe.Pointer(&req)); err != nil {
		return nil, err
	}
	names := func(bits uint32) string {
		var out []string
		for i, n := range []string{"None", "Auto", "Off", "RS", "BaseR", "LLRS"} {
			if bits>>i&1 != 0 {
				out = append(out, n)
			}
		}
		if out == nil {
			return "None"
		}
		return strings.Join(out, " ")
	}
	return fmt.Appendf(nil, "FEC parameters for %s:\nSupported/Configured FEC encodings: %s\nActive FEC encoding: %s\n",
		name, names(req.fec), names(req.active)), nil
}

// linkModes are the names of the kernel's link modes by their bit, as ethtool prints them. Those that are not a speed
// (Autoneg, FIBRE, Pause) are empty; newer ones are omitted from a list. Source: enum ethtool_link_mode_bit_indices of
// linux/ethtool.h.
var linkModes = [...]string{0: "10baseT/Half", 1: "10baseT/Full", 2: "100baseT/Half", 3: "100baseT/Full",
	4: "1000baseT/Half", 5: "1000baseT/Full", 12: "10000baseT/Full", 15: "2500baseX/Full", 17: "1000baseKX/Full",
	18: "10000baseKX4/Full", 19: "10000baseKR/Full", 21: "20000baseMLD2/Full", 22: "20000baseKR2/Full",
	23: "40000baseKR4/Full", 24: "40000baseCR4/Full", 25: "40000baseSR4/Full", 26: "40000baseLR4/Full",
	27: "56000baseKR4/Full", 28: "56000baseCR4/Full", 29: "56000baseSR4/Full", 30: "56000baseLR4/Full",
	31: "25000baseCR/Full", 32: "25000baseKR/Full", 33: "25000baseSR/Full", 34: "50000baseCR2/Full",
	35: "50000baseKR2/Full", 36: "100000baseKR4/Full", 37: "100000baseSR4/Full", 38: "100000baseCR4/Full",
	39: "100000baseLR4_ER4/Full", 40: "50000baseSR2/Full", 41: "1000baseX/Full", 42: "10000baseCR/Full",
	43: "10000baseSR/Full", 44: "10000baseLR/Full", 45: "10000baseLRM/Full", 46: "10000baseER/Full", 47: "2500baseT/Full",
	48: "5000baseT/Full", 52: "50000baseKR/Full", 53: "50000baseSR/Full", 54: "50000baseCR/Full",
	55: "50000baseLR_ER_FR/Full", 56: "50000baseDR/Full", 57: "100000baseKR2/Full", 58: "100000baseSR2/Full",
	59: "100000baseCR2/Full", 60: "100000baseLR2_ER2_FR2/Full", 61: "100000baseDR2/Full", 62: "200000baseKR4/Full",
	63: "200000baseSR4/Full", 64: "200000baseLR4_ER4_FR4/Full", 65: "200000baseDR4/Full", 66: "200000baseCR4/Full",
	67: "100baseT1/Full", 68: "1000baseT1/Full", 69: "400000baseKR8/Full", 70: "400000baseSR8/Full",
	71: "400000baseLR8_ER8_FR8/Full", 72: "400000baseDR8/Full", 73: "400000baseCR8/Full", 75: "100000baseKR/Full",
	76: "100000baseSR/Full", 77: "100000baseLR_ER_FR/Full", 78: "100000baseCR/Full", 79: "100000baseDR/Full",
	80: "200000baseKR2/Full", 81: "200000baseSR2/Full", 82: "200000baseLR2_ER2_FR2/Full", 83: "200000baseDR2/Full",
	84: "200000baseCR2/Full", 85: "400000baseKR4/Full", 86: "400000baseSR4/Full", 87: "400000baseLR4_ER4_FR4/Full",
	88: "400000baseDR4/Full", 89: "400000baseCR4/Full", 90: "100baseFX/Half", 91: "100baseFX/Full", 92: "10baseT1L/Full",
	93: "800000baseCR8/Full", 94: "800000baseKR8/Full", 95: "800000baseDR8/Full", 96: "800000baseDR8_2/Full",
	97: "800000baseSR8/Full", 98: "800000baseVR8/Full"}
