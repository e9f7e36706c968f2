package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// The keys of a host's own values, which a shared README names in capitals.
const (
	hostKey    = "HOST"
	machineKey = "MACHINE" // of a virtual machine: the host that it runs on
	loginKey   = "LOGIN"   // where ssh goes, if the file has a connection
	addressKey = "ADDRESS"
	cableKey   = "CABLE"
	endKey     = "OTHER-END" // of the cable
)

// own is a value that a host does not share with its equals.
type own struct{ key, value string }

// mask is the own values of a host; those of equal hosts have equal keys in equal order.
type mask []own

// maskOf returns a host's own values: its name and machine, and of each port its address, cable and other end.
func maskOf(p *plan.Plan, h *plan.Host) mask {
	out := mask{{hostKey, h.Name}}
	if h.Decl.On != "" {
		out = append(out, own{machineKey, h.Decl.On})
	}
	if to, ok := strings.CutPrefix(h.Connection, "ssh "); ok {
		out = append(out, own{loginKey, to})
	}
	several := len(h.Ports) > 1
	for _, port := range h.Ports {
		of := ""
		if several {
			of = "-" + strings.TrimPrefix(port.ID, h.Name+".")
		}
		if port.Address.IsValid() {
			out = append(out, own{addressKey + of, port.Address.Addr().String()})
		}
		l := p.Link(port.Link)
		if l == nil {
			continue
		}
		for i, e := range l.Ends {
			if e.ID == port.ID {
				out = append(out, own{cableKey + of, l.Label}, own{endKey + of, l.Ends[1-i].ID})
			}
		}
	}
	return out
}

// value returns the value of a key.
func (m mask) value(key string) string {
	i := slices.IndexFunc(m, func(v own) bool { return v.key == key })
	return m[i].value
}

// text replaces each own value in a text by its key. Of two values that begin at one place, the longer one is meant.
func (m mask) text(t string) string {
	var b strings.Builder
	for i := 0; i < len(t); {
		var best own
		for _, v := range m {
			if len(v.value) > len(best.value) && strings.HasPrefix(t[i:], v.value) && alone(t, i, i+len(v.value)) {
				best = v
			}
		}
		if best.value != "" {
			b.WriteString(best.key)
			i += len(best.value)
			continue
		}
		_, size := utf8.DecodeRuneInString(t[i:])
		b.WriteString(t[i : i+size])
		i += size
	}
	return b.String()
}

// alone reports whether t[from:to] is not a part of a longer word or number: vm1 in vm10, 10.0.0.1 in 10.0.0.12.
func alone(t string, from, to int) bool {
	word := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
	}
	return (from == 0 || !word(t[from-1])) && (to == len(t) || !word(t[to]))
}

// sheet returns a README's content with keys in place of the own values.
func (m mask) sheet(s sheet) sheet {
	all := func(list []string) []string { return xslices.Map(list, m.text) }
	s.title, s.intro, s.addresses = m.text(s.title), m.text(s.intro), all(s.addresses)
	s.changes = xslices.Map(s.changes, func(c config.Changed) config.Changed {
		return config.Changed{Command: m.text(c.Command), Why: m.text(c.Why)}
	})
	d := s.device
	d.Manual = xslices.Map(d.Manual, func(l config.Line) config.Line {
		return config.Line{Text: m.text(l.Text), Why: m.text(l.Why), Source: l.Source}
	})
	d.Steps = xslices.Map(d.Steps, func(x config.Step) config.Step {
		return config.Step{Do: m.text(x.Do), Interrupts: m.text(x.Interrupts)}
	})
	d.Missing, d.Unverified, d.Notes = all(d.Missing), all(d.Unverified), all(d.Notes)
	d.Files = xslices.Map(d.Files, func(f config.File) config.File {
		return config.File{Name: m.text(f.Name), Path: m.text(f.Path)}
	})
	s.device = d
	return s
}

// sheet is the content of a README before it is laid out.
type sheet struct {
	title, intro string
	applies      string           // the file that changes settings
	changes      []config.Changed // its commands
	values       [][][]string     // tables of the values of each host; none on the page of one host
	device       config.Device
	addresses    []string
}

// sheetOf returns the content of a device's README.
func sheetOf(p *plan.Plan, d *config.Device) sheet {
	s := sheet{device: *d, title: d.Name + ": " + d.What, addresses: addresses(p, d.Name)}
	s.intro = fmt.Sprintf("These files set up the device for the fabric %s (%s). ../README.md has the order of all "+
		"devices. `linerate config %s --explain %s` explains each line.", p.Name, p.File(), p.Arguments(), d.Name)
	s.applies, s.changes = d.Changes()
	return s
}
