package facts

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// maxContradictions is the largest number that is reported.
const maxContradictions = 6

// Contradictions lists differences between two snapshots of one machine in properties that do not change by themselves:
// its identity, its adapters, and what is configured and negotiated. A missing value is not a contradiction. other
// reports that the snapshots are probably of two machines.
func Contradictions(before, after *Facts) (list []string, other bool) {
	differ := func(what, a, b string, identity bool) {
		if a == "" || b == "" || a == b {
			return
		}
		list = append(list, fmt.Sprintf("%s %s, then %s", what, a, b))
		other = other || identity
	}
	differ("system", before.OS, after.OS, true)
	differ("kernel", before.Kernel, after.Kernel, false)
	differ("CPU", before.CPU.Model.Or(""), after.CPU.Model.Or(""), true)
	differ("machine", before.Machine.Product.Or(""), after.Machine.Product.Or(""), true)
	differ("memory", stated(before.Memory), stated(after.Memory), false)
	for i := range before.NICs {
		a := &before.NICs[i]
		b := after.NIC(a.Name)
		if b == nil || stackedOrMade(a.Kind) || a.Name == "lo" {
			continue
		}
		of := a.Name + ": "
		differ(of+"MAC address", a.MAC, b.MAC, true)
		differ(of+"driver", a.Driver.Or(""), b.Driver.Or(""), true)
		differ(of+"firmware", a.Firmware.Or(""), b.Firmware.Or(""), false)
		differ(of+"MTU", positive(a.MTU), positive(b.MTU), false)
		differ(of+"speed", stated(a.Speed), stated(b.Speed), false)
		differ(of+"addresses", prefixes(a.Addresses), prefixes(b.Addresses), false)
	}
	if more := len(list) - maxContradictions; more > 0 {
		list = append(list[:maxContradictions], fmt.Sprintf("and %d more", more))
	}
	return list, other
}

// stackedOrMade reports whether the system creates interfaces of a kind and chooses their addresses.
func stackedOrMade(kind string) bool {
	return Stacked(kind) || slices.Contains([]string{"veth", "bridge", "bond", "tun", "dummy"}, kind)
}

func stated[T fmt.Stringer](o unit.Opt[T]) string {
	if v, ok := o.Get(); ok {
		return v.String()
	}
	return ""
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func prefixes(list []netip.Prefix) string {
	var out []string
	for _, p := range list {
		if p.Addr().Is4() { // IPv6 addresses change
			out = append(out, p.String())
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
