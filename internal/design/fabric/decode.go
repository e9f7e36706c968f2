package fabric

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/design/catalog"
)

// Limits of what ranges may expand to.
const (
	maxHosts = 4096
	maxLinks = 16384
)

// decoder turns a tree into a fabric.
type decoder struct {
	src      *source
	catalog  *catalog.Catalog
	variants []string
	prefix   string // before every subject: the variant that is being decoded

	f        *Fabric
	expanded map[string][]string // names that texts with ranges expand to
	found    map[string]lookup   // parts by their names in the file
	volumes  map[string]bool
	broken   map[string]bool // experiments with reported errors
	hosts    map[string]*Host
	switches map[string]*Switch
	used     map[Port]use            // used ports
	onAt     map[*Host]At            // where a virtual machine's host is written
	written  map[*Link][]At          // where a link's addresses are written
	missing  map[string]bool         // NICs whose part had a reported error: "nas.cx3"
	parts    map[*node]*catalog.Part // described parts, each made once
	ranges   []namedRange
	links    int
	nears    int // how many times similar hosts were searched for
	keys     map[string][]string
}

// bad reports a problem: what is wrong, whose limit it is, what to write.
func (d *decoder) bad(id diag.ID, at At, subject, message, limit, fix string) {
	d.src.add(at, d.problem(id, subject, message, limit, fix))
}

// problem is a problem of the variant that is being decoded.
func (d *decoder) problem(id diag.ID, subject, message, limit, fix string) Problem {
	return Problem{ID: id, Subject: d.prefix + subject, Message: message, Limit: limit, Fix: fix,
		Of: strings.TrimSuffix(d.prefix, ": ")}
}

// fabric decodes the whole file. The result is complete only without problems.
func (d *decoder) fabric(root *node) *Fabric {
	d.f = &Fabric{MTU: 1500, Addressing: Addressing{Pool: defaultPool(), Prefix: 24}}
	d.hosts, d.switches = map[string]*Host{}, map[string]*Switch{}
	d.used, d.written = map[Port]use{}, map[*Link][]At{}
	d.onAt, d.volumes, d.broken = map[*Host]At{}, map[string]bool{}, map[string]bool{}
	d.expanded, d.found = map[string][]string{}, map[string]lookup{}
	d.missing, d.parts = map[string]bool{}, map[*node]*catalog.Part{}
	f, ok := d.fields(root, "fabric", "the file", root.at)
	if !ok {
		return d.f
	}
	if n := f.scalar("fabric"); n != nil {
		d.checkName(n, "fabric")
		d.f.Name = n.text
	}
	for _, key := range []string{"fabric", "hosts", "links"} {
		if !f.has(key) {
			if p, written := root.pair(key); !written || p.value.kind != null {
				d.bad(diag.KeyMissing, At{1, 1}, "the file", "missing key "+key, "a fabric has fabric, hosts and links",
					"write "+map[string]string{"fabric": "fabric: NAME in the first line",
						"hosts": "hosts: with an entry for each machine", "links": "links: with an entry for each cable"}[key])
			}
		}
	}
	d.f.Note = f.Note
	d.f.MTU = f.number("mtu", method.MinMTU, method.MaxMTU, 1500, "an IP MTU")
	d.f.Trust = f.choice("trust", "dscp", "pcp", "port")
	d.f.DCBX = f.choice("dcbx", "none", "switch")
	if n := f.get("addressing"); n != nil {
		d.addressing(n)
	}
	d.allSubnets(f.get("subnets"))
	d.allHosts(f.get("hosts"))
	d.allSwitches(f.get("switches"))
	if n := f.get("hosts"); n != nil && n.kind == mapping &&
		!slices.ContainsFunc(n.pairs, func(p pair) bool { return p.key.text != "note" }) {
		d.bad(diag.KeyMissing, n.at, "hosts", "the fabric has no hosts", "a fabric is hosts and the links between them",
			"write an entry for each machine: {nas: {os: linux}, pc: {os: linux}}")
	}
	d.allMachines()
	d.allVolumes(f.get("volumes"))
	d.allProfiles(f.get("profiles"))
	d.allLinks(f.items("links"))
	d.checkAddresses()
	for i, n := range f.items("spares") {
		if item, ok := d.item(n, fmt.Sprintf("spare %d", i+1), single()); ok {
			d.f.Spares = append(d.f.Spares, item)
		}
	}
	d.allClasses(f.get("classes"))
	d.allExperiments(f.get("experiments"))
	d.allGoals(f.get("goals"))
	return d.f
}

func defaultPool() netip.Prefix { return netip.MustParsePrefix("10.20.0.0/16") }

// each calls fn for every name that the keys of a mapping expand to. what is the kind of the entries in messages:
// "host". Outer is the step of the entry that contains them.
func (d *decoder) each(n *node, what string, outer step, fn func(name, group string, p pair, own, st step)) {
	if n == nil {
		return
	}
	if n.kind != mapping {
		d.bad(diag.ValueKind, n.at, plural(what), fmt.Sprintf("%s takes names with keys, not %s", plural(what), n.describe()),
			"",
			fmt.Sprintf("write %s: {NAME: %s}", plural(what), example(what)))
		return
	}
	taken := map[string]string{}
	for _, p := range n.pairs {
		if p.key.text == "note" && p.value.kind == scalar {
			continue
		}
		names, group := d.names(p.key, what+" "+quoteName(p.key.text)), p.key.text
		for i, name := range names {
			own := step{i, len(names)}
			if p.from != nil {
				group, own = p.from.group, p.from.step
			}
			if !d.src.charge(p.key.at, p.value.size+1) {
				return
			}
			d.checkNameText(name, p.key, what)
			if other, ok := taken[name]; ok {
				d.bad(diag.NameTwice, p.key.at, what+" "+name, fmt.Sprintf("%s %s is defined twice, also by %s", what, name,
					quote(other)),
					"names are unique", "rename one, or shorten the range")
				continue
			}
			taken[name] = p.key.text
			fn(name, group, p, own, outer.within(own))
		}
	}
}

func plural(what string) string {
	switch what {
	case "class":
		return "classes"
	case "switch":
		return "switches"
	}
	return what + "s"
}

const maxName = 63

// checkName checks a key or text that names something.
func (d *decoder) checkName(n *node, what string) bool { return d.checkNameText(n.text, n, what) }

func (d *decoder) checkNameText(name string, n *node, what string) bool {
	subject := what + " " + quoteName(name)
	say := func(message, fix string) bool {
		d.bad(diag.NameInvalid, n.at, subject, message, "names have up to 63 letters, digits, - and _", fix)
		return false
	}
	switch c := strings.IndexFunc(name, func(r rune) bool { return !nameRune(r) }); {
	case name == "":
		return say("a name is empty", "write a name")
	case len(name) > maxName:
		return say(fmt.Sprintf("the name has %d characters", len(name)), "shorten it")
	case c >= 0 && name[c] == '.':
		return say("the name has a dot, which separates host, NIC and port", "write "+strings.ReplaceAll(name, ".", "-"))
	case c >= 0:
		return say(fmt.Sprintf("the name has the character %s", quote(string([]rune(name[c:])[:1]))),
			"write "+plainName(name))
	case name[0] == '-' || name[0] == '_':
		return say("the name does not begin with a letter or digit", "write "+strings.TrimLeft(name, "-_"))
	case what == "host" && name == "links", what == "experiment" && name == "plan":
		return say(fmt.Sprintf("%s is a word that linerate uses itself", quote(name)), "choose another name")
	}
	return true
}

// plainName replaces characters that a name cannot have by dashes.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if nameRune(r) {
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "-_"); s == "" {
		return "a plain one"
	}
	return s[:min(len(s), maxName)]
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// quoteName prints a name as it is, or in quotes if it is not one.
func quoteName(s string) string {
	if s != "" && len(s) <= maxName &&
		!strings.ContainsFunc(s, func(r rune) bool { return !nameRune(r) && r != '[' && r != ']' }) {
		return s
	}
	return quote(s)
}

// checkText reports a key with control characters.
func (d *decoder) checkText(n *node, subject string) {
	if strings.ContainsFunc(n.text, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		d.bad(diag.NameInvalid, n.at, subject, "the name has a control character", "names go into files and onto terminals",
			"delete it")
	}
}
