package fabric

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
)

// endpoints reads from, to, on and via. A list in from or to is a parameter: each pair becomes an experiment of the
// same name.
func (d *decoder) endpoints(e *Experiment, f *fields, own step) {
	need := method.Named(e.Method).Ends
	e.Via = d.via(f)
	if f.has("on") {
		e.On = d.on(e, f, need)
		for _, key := range []string{"from", "to"} {
			if f.has(key) {
				f.bad(diag.KeysConflict, key, "an experiment has either on, or from and to", "", "delete one of the two")
			}
		}
		if need.Pair && slices.Contains(e.On, "links") {
			for _, p := range e.Parameter("traffic") {
				if p != Pairs {
					f.bad(diag.SettingUnfit, "traffic", fmt.Sprintf("traffic %s is not for on: links", p), "",
						"write traffic: pairs for all links at once, or from: \"n[1-4]\" instead of on")
				}
			}
		}
		d.f.Experiments = append(d.f.Experiments, e)
		return
	}
	if need.On && !f.has("from") {
		f.bad(diag.KeyMissing, "on", e.Method+" needs hosts", "", "write on: HOST, or on: \"n[1-4]\"")
		return
	}
	pattern := need.Pair && len(e.Parameter("traffic")) > 0 // it determines the senders and receivers, perhaps without to
	for key, needed := range map[string]bool{"from": need.From, "to": need.To && !pattern} {
		if needed && !f.has(key) {
			other := ""
			if need.Pair {
				other = ", or on: links for every link"
			}
			f.d.bad(diag.KeyMissing, f.at, f.subject, fmt.Sprintf("missing key %s", key),
				fmt.Sprintf("%s measures from one host "+
					"to another", e.Method), fmt.Sprintf("write %s: HOST%s", key, other))
		}
	}
	froms, tos := d.places(f, "from", need, own), d.places(f, "to", need, own)
	if f.has("from") && len(froms) == 0 || f.has("to") && len(tos) == 0 {
		return
	}
	if len(froms) == 0 {
		froms = [][]string{nil}
	}
	if len(tos) == 0 {
		tos = [][]string{nil}
	}
	lists := len(froms)*len(tos) > 1
	if lists && len(froms)*len(tos) > maxCombinations {
		f.bad(diag.TooLarge, "to", fmt.Sprintf("from and to make %d pairs", len(froms)*len(tos)),
			fmt.Sprintf("linerate measures up "+
				"to %d", maxCombinations), "write a range in quotes, which measures its hosts in parallel")
		return
	}
	for _, from := range froms {
		for _, to := range tos {
			if !d.src.charge(e.At, 1+len(from)+len(to)) {
				return
			}
			one := *e
			one.From, one.To = from, to
			if pattern {
				d.patterns(&one, f)
				d.f.Experiments = append(d.f.Experiments, &one)
				continue
			}
			if same := d.samePlace(&one); same != "" {
				if !lists { // lists skip pairs of a host with itself
					f.bad(diag.EndsInvalid, "to", fmt.Sprintf("%s is on both ends", same), fmt.Sprintf("%s measures between two hosts",
						e.Method),
						"name another host")
				}
				continue
			}
			d.f.Experiments = append(d.f.Experiments, &one)
		}
	}
}

// on reads hosts, or links.
func (d *decoder) on(e *Experiment, f *fields, need method.Ends) []string {
	if n := f.get("on"); n.kind == scalar && n.text == "links" {
		if !need.Pair {
			f.bad(diag.EndsInvalid, "on", e.Method+" does not run on links", "",
				map[bool]string{true: "write on: HOST, or on: \"n[1-4]\"", false: "write from and to"}[need.On])
		}
		return []string{"links"}
	}
	if method.Named(e.Method).ProvesClasses {
		f.bad(diag.EndsInvalid, "on", "lossless has no key on", "all hosts of a subnet send to one of them",
			"delete on, or write from: [HOST, HOST] and to: HOST")
		return nil
	}
	if !need.On && !need.Group {
		f.bad(diag.EndsInvalid, "on", fmt.Sprintf("%s does not run on single hosts", e.Method), "",
			"write on: links, or from and to")
		return nil
	}
	var hosts []string
	for _, w := range f.words("on") {
		for _, name := range d.names(w, f.subject) {
			if d.hosts[name] == nil {
				d.bad(diag.HostUnknown, w.at, f.subject, fmt.Sprintf("no host is called %s", quote(name)), "", d.nearHost(name))
				continue
			}
			hosts = append(hosts, name)
		}
	}
	return hosts
}

// via reads the NICs that an experiment goes through, one after another.
func (d *decoder) via(f *fields) []string {
	var nics []string
	for _, w := range f.words("via") {
		for _, name := range d.names(w, f.subject) {
			var have []string
			found := false
			for _, h := range d.f.Hosts {
				found = found || h.nic(name) != nil || h.bond(name) != nil
				for _, c := range h.NICs {
					have = append(have, c.Name)
				}
			}
			if !found && !d.isPort(name) {
				fix := "write the name of a NIC of the hosts"
				if near := nearest(name, have); near != "" {
					fix = "did you mean " + near + "?"
				}
				d.bad(diag.PortUnknown, w.at, f.subject, fmt.Sprintf("no host has a NIC %s", quote(name)),
					"the hosts have "+orNone(have),
					fix)
				continue
			}
			nics = append(nics, name)
		}
	}
	return nics
}

// isPort reports whether a text is host.NIC or host.NIC.port.
func (d *decoder) isPort(text string) bool {
	words := strings.Split(text, ".")
	h := d.hosts[words[0]]
	return h != nil && len(words) > 1 && len(words) < 4 && (h.nic(words[1]) != nil || h.bond(words[1]) != nil)
}

// places reads from or to: the entries of a list are measured one after the other, the names of one range at once.
func (d *decoder) places(f *fields, key string, need method.Ends, own step) [][]string {
	var all [][]string
	for _, w := range f.words(key) {
		var names []string
		list := d.names(w, f.subject)
		if own.count > 1 && len(list) > 0 { // the experiment's own name has a range
			if name, ok := d.pick(w, f.subject, own); ok {
				list = []string{name}
			}
		}
		for _, name := range list {
			if d.place(name, w, f, key, need) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			all = append(all, names)
		}
	}
	return all
}

// place reports a name that is not an endpoint of the method.
func (d *decoder) place(name string, w *node, f *fields, key string, need method.Ends) bool {
	host, rest, dotted := strings.Cut(name, ".")
	h := d.hosts[host]
	isVolume := d.volumes[name]
	switch {
	case h != nil && !dotted, h != nil && d.isPort(name):
		return true
	case need.Store && (isVolume || h != nil && h.drive(rest) != nil):
		return true
	case isVolume:
		d.bad(diag.EndsInvalid, w.at, f.subject, fmt.Sprintf("%s is a volume, not a host", quote(name)),
			"the method measures between hosts",
			"name a host, or choose method: copy or storage")
	case h != nil && h.drive(rest) != nil:
		d.bad(diag.EndsInvalid, w.at, f.subject, fmt.Sprintf("%s is a drive, not a host", quote(name)),
			"the method measures between hosts", "write "+host+
				", or choose method: copy or storage")
	case h != nil:
		have := []string{}
		for _, c := range h.NICs {
			have = append(have, c.Name)
		}
		for _, dr := range h.Drives {
			have = append(have, dr.Name)
		}
		fix := "write " + host + ", or one of these"
		if near := nearest(rest, have); near != "" {
			fix = fmt.Sprintf("did you mean %s.%s?", host, near)
		}
		d.bad(diag.PortUnknown, w.at, f.subject, fmt.Sprintf("host %s has no NIC or drive %s", host, quote(rest)),
			"it has "+orNone(have), fix)
	case d.switches[host] != nil:
		d.bad(diag.EndsInvalid, w.at, f.subject, fmt.Sprintf("%s is a switch, not a host", quote(name)),
			"experiments run on hosts",
			"name a host that is connected to it")
	default:
		d.bad(diag.HostUnknown, w.at, f.subject, fmt.Sprintf("no host is called %s", quote(host)), "", d.nearHost(host))
	}
	return false
}

// samePlace returns a host that would measure against itself.
func (d *decoder) samePlace(e *Experiment) string {
	m := method.Named(e.Method)
	if m.Stores || m.CopiesFiles && e.From != nil && e.To != nil && e.From[0] != e.To[0] || len(e.From) == 0 ||
		len(e.To) == 0 ||
		slices.Contains(e.Parameter("transport"), "local") {
		return ""
	}
	for i := range max(len(e.From), len(e.To)) {
		a, b := onHost(e.From[i%len(e.From)]), onHost(e.To[i%len(e.To)])
		if a == b && d.hosts[a] != nil {
			return a
		}
	}
	return ""
}
