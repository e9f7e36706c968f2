package facts

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// mostContradictions is how many are told.
const mostContradictions = 6

// Contradictions lists in what two captures of one machine differ that does not change by itself: which machine it is, its cards,
// and what is set and negotiated. What one of them does not have is no contradiction. other says that they are rather of two machines.
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
	differ("processor", before.CPU.Model.Or(""), after.CPU.Model.Or(""), true)
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
	if more := len(list) - mostContradictions; more > 0 {
		list = append(list[:mostContradictions], fmt.Sprintf("and %d more", more))
	}
	return list, other
}

// stackedOrMade says whether the system makes interfaces of that kind, with addresses of its own choice.
func stackedOrMade(kind string) bool {
	return stacked(kind) || slices.Contains([]string{"veth", "bridge", "bond", "tun", "dummy"}, kind)
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
		if p.Addr().Is4() { // those of IPv6 come and go
			out = append(out, p.String())
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// twice tells of sources that stand in a capture twice and contradict themselves: outputs of different times, or machines. from
// is the file of each source.
func (a *archive) twice(from []string) (out []Unknown) {
	at := map[string]int{}
	for i, f := range a.Files {
		before, ok := at[f.Name]
		at[f.Name] = i
		if !ok || string(a.Files[before].Data) == string(f.Data) {
			continue
		}
		alone := func(i int) *Facts {
			one := archive{Comment: a.Comment, Files: a.Files[i : i+1]}
			got, err := Parse(one.bytes())
			if err != nil {
				return &Facts{}
			}
			return got
		}
		if list, _ := Contradictions(alone(before), alone(i)); len(list) > 0 {
			out = append(out, Unknown{from[i], fmt.Sprintf("%s is also in %s, of another time or machine: %s; of what both say, this one counts", f.Name, from[before], strings.Join(list, ", "))})
		}
	}
	return out
}
