package survey

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/device/families"
	"linerate/internal/facts"
)

// Experiments are what a drafted file tests.
type Experiments struct {
	List []*fabric.Experiment // empty: the key is omitted
	Why  []string             // comments above them, a line each
	// More are the experiments of a variant of the name Variant.
	Variant string
	More    []*fabric.Experiment
}

// Write returns the draft as a fabric file, with comments.
func (d *Draft) Write(when time.Time, test Experiments) []byte {
	w := &writer{}
	w.line("# Drafted by linerate init on %s out of what the machines say of themselves.", when.Format("2006-01-02"))
	w.line("# linerate run FILE measures it as it is; linerate plan FILE shows what follows from it.")
	for _, u := range d.Unknown {
		w.line("# not known: %s", comment(u))
	}
	if text, commands := d.Idle(); text != "" {
		w.line("# %s:", comment(text))
		for _, c := range commands {
			w.line("#   %s", comment(c))
		}
	}
	for _, off := range d.Off() {
		w.line("# %s", comment(off))
	}
	w.line("fabric: %s", d.Name)
	if d.MTU > 0 {
		w.line("mtu: %d", d.MTU)
	}
	d.subnets(w)
	w.line("hosts:")
	for _, h := range d.Hosts {
		h.write(w)
	}
	w.used = map[string]int{}
	for _, n := range d.Nets {
		if _, reported := w.used[n.Switch]; reported || n.Switch == "" {
			continue
		}
		if len(w.used) == 0 {
			w.line("switches:")
		}
		w.used[n.Switch] = 0
		w.line("  %s: {}%s", n.Switch, remark(n.Why+"; its part, such as part: SN2010, says what it carries"))
	}
	w.line("links:")
	for i, n := range d.Nets {
		d.links(w, n, fmt.Sprintf("net%d", i+1))
	}
	for _, why := range test.Why {
		w.line("# %s", comment(why))
	}
	w.experiments("", test.List)
	if len(test.More) > 0 {
		w.line("variants:")
		w.line("  %s:", test.Variant)
		w.experiments("    ", test.More)
	}
	return []byte(w.String())
}

// experiments writes the key experiments behind an indentation, unless there are none.
func (w *writer) experiments(indent string, list []*fabric.Experiment) {
	for i, x := range list {
		if i == 0 {
			w.line("%sexperiments:", indent)
		}
		w.line("%s  %s: {%s}", indent, x.Name, experiment(x))
	}
}

// experiment formats an experiment for the file.
func experiment(x *fabric.Experiment) string {
	text := "method: " + x.Method
	put := func(key string, values []string) {
		switch len(values) {
		case 0:
		case 1:
			text += ", " + key + ": " + quoted(values[0])
		default:
			text += ", " + key + ": [" + joined(values) + "]"
		}
	}
	put("from", x.From)
	put("to", x.To)
	put("via", x.Via)
	for _, a := range x.Parameters {
		put(a.Key, a.Values)
	}
	if x.Repeats > 0 {
		text += fmt.Sprintf(", repeats: %d", x.Repeats)
	}
	return text
}

type writer struct {
	strings.Builder
	used map[string]int // used ports of each switch
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// subnets writes those that several links share, or that have a tag.
func (d *Draft) subnets(w *writer) {
	first := true
	for i, n := range d.Nets {
		if n.Switch == "" && n.VLAN == 0 {
			continue
		}
		if first {
			w.line("subnets:")
			first = false
		}
		tag := ""
		if n.VLAN > 0 {
			tag = fmt.Sprintf(", vlan: %d", n.VLAN)
		}
		w.line("  net%d: {range: %s%s}", i+1, n.Range, tag)
	}
}

// links writes the cables of a network.
func (d *Draft) links(w *writer, n *Net, name string) {
	subnet := quoted(n.Range.String())
	if n.Switch != "" || n.VLAN > 0 {
		subnet = name
	}
	mtu, differ := "", ""
	if n.MTU > 0 && n.MTU != d.MTU {
		mtu = fmt.Sprintf(", mtu: %d", n.MTU)
	}
	if slices.ContainsFunc(n.Ends, func(e *End) bool { return e.MTU != n.Ends[0].MTU }) {
		each := xslices.Map(n.Ends, func(e *End) string { return fmt.Sprintf("%s %d", e.Host.Name, e.MTU) })
		differ = "; the ends differ in their MTU: " + strings.Join(each, ", ")
	}
	end := func(e *End) string { return quoted(e.Host.Name + "." + e.Port) }
	if n.Switch == "" {
		a, b := n.Ends[0], n.Ends[1]
		w.line("  - {ends: [%s, %s], subnet: %s, addresses: [%s, %s]%s}%s", end(a), end(b), subnet,
			quoted(a.Address.String()), quoted(b.Address.String()), mtu, remark(n.Why+differ))
		return
	}
	for _, e := range n.Ends {
		w.used[n.Switch]++
		w.line("  - {ends: [%s, %s.%d], subnet: %s, addresses: [%s]%s}%s", end(e), n.Switch, w.used[n.Switch], subnet,
			quoted(e.Address.String()), mtu, remark(strings.TrimPrefix(differ, "; ")))
		differ = ""
	}
}

func (h *Host) write(w *writer) {
	f := h.Facts
	w.line("  %s:", h.Name)
	if system := families.OfFacts(f.OS); system != nil && system.Host != nil {
		w.line("    os: %s", system.Name)
	}
	w.line("    connect: %s", quoted(h.Connection))
	if s := strings.TrimSpace(f.Machine.Vendor.Or("") + " " + f.Machine.Product.Or("")); s != "" {
		w.line("    system: %s", quoted(s))
	}
	if s, ok := f.CPU.Model.Get(); ok {
		w.line("    cpu: %s", quoted(s))
	}
	if m, ok := f.Memory.Get(); ok && m > 0 {
		w.line("    memory: %dGiB", (m+unit.GiB/2)/unit.GiB)
	}
	w.line("    nics:")
	for _, c := range h.NICs {
		c.write(w, f)
	}
	if len(h.Bonds) > 0 {
		w.line("    bonds:")
		for _, b := range h.Bonds {
			w.line("      %s: {of: [%s], mode: %s}", quoted(b.Name), joined(b.Of), b.Mode)
		}
	}
	for i, d := range h.Drives {
		if i == 0 {
			w.line("    drives:")
		}
		w.line("      %s: {%s}", d.Name, d.place())
	}
}

// write writes a NIC: as a part of the catalogue, or in detail as far as it is known.
func (c *NIC) write(w *writer, f *facts.Facts) {
	speed, rdma, why := "", "", c.Says
	if c.Part != nil {
		for _, s := range c.Slow {
			if s > 0 {
				speed = ", speed: " + rate(s)
			}
		}
		if c.RDMA != "" && slices.Contains(c.Part.RDMA, c.RDMA) { // with another protocol the plan would reject the part
			rdma = ", rdma: " + c.RDMA
		}
		w.line("      %s: {part: %s%s%s, ports: [%s]}%s", c.Name, quoted(c.Part.ID), speed, rdma, joined(c.Seen),
			remark(c.noted(why)))
		return
	}
	out := "kind: nic"
	if c.Says != "" {
		out += ", name: " + quoted(c.Says)
	}
	if c.Speed > 0 {
		out += ", speed: " + rate(c.Speed)
	} else {
		why = "the system says no speed: write speed: 10G"
	}
	if c.RDMA != "" {
		rdma = ", rdma: " + c.RDMA
	}
	if len(c.Ports) > 1 {
		out += ", ports: " + strconv.Itoa(len(c.Ports))
	}
	if len(c.Like) > 0 {
		var ids []string
		for _, p := range c.Like {
			ids = append(ids, p.ID)
		}
		why = "it may be " + strings.Join(ids, " or ") + ": write part: and which"
	} else if c.Speed > 0 {
		why = ""
	}
	w.line("      %s: {part: {%s}%s, ports: [%s]}%s", c.Name, out, rdma, joined(c.Seen), remark(c.noted(why)))
}

// noted returns a remark with the bridges that hold the addresses of ports.
func (c *NIC) noted(why string) string {
	for i, name := range c.Seen {
		if name == c.Ports[i] {
			continue
		}
		if why != "" {
			why += "; "
		}
		why += name + " is a bridge over " + c.Ports[i]
	}
	return why
}

// rate formats a speed for the file.
func rate(v unit.BitRate) string {
	if v >= 1e9 {
		return strconv.FormatFloat(float64(v)/1e9, 'f', -1, 64) + "G"
	}
	return strconv.FormatFloat(float64(v)/1e6, 'f', -1, 64) + "M"
}

func joined(words []string) string {
	out := make([]string, len(words))
	for i, s := range words {
		out[i] = quoted(s)
	}
	return strings.Join(out, ", ")
}

// quoted formats a text for YAML, without quotes where it has no special characters. Names come from devices, so
// unprintable characters are removed.
func quoted(s string) string {
	s = printable(s)
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./ ()+@", r))
	})
	switch first := strings.ToLower(s); {
	case plain && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z') && s[len(s)-1] != ' ' &&
		!slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}, first):
		return s
	// such as an address, a number, 64KiB
	case plain && !strings.ContainsAny(s, " /@()+-_") && (strings.Count(s, ".") == 3 || !strings.Contains(s, ".")) &&
		s[0] != '0':
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// remark returns a comment at the end of a line.
func remark(s string) string {
	if s = comment(s); s == "" {
		return ""
	}
	return "  # " + s
}

func comment(s string) string { return strings.TrimSpace(printable(s)) }

// longest is the number of bytes of a text that are kept. Names of devices are shorter.
const longest = 200

func printable(s string) string {
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "")
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd ||
			r >= 0x202a && r <= 0x202e {
			return -1
		}
		return r
	}, s)
}
