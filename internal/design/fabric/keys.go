package fabric

import "linerate/internal/base/method"

// Entry is one kind of mapping of a fabric file with its keys.
type Entry struct {
	Name string   // fabric, host, nic ..
	Keys []string // without note, which every mapping takes
}

// Entries returns all kinds of mapping with fixed keys, in the order of docs/fabric.md.
func Entries() []Entry {
	return []Entry{
		{
			"fabric",
			[]string{"fabric", "mtu", "addressing", "subnets", "hosts", "volumes", "profiles", "switches", "links", "spares",
				"classes", "trust", "dcbx", "experiments", "goals", "variants"},
		},
		{"addressing", []string{"pool", "prefix", "avoid", "names"}},
		{"subnet", []string{"range", "vlan"}},
		{
			"host",
			[]string{"os", "version", "system", "cpu", "memory", "connect", "slots", "on", "guest", "price", "settings", "nics",
				"bonds", "drives"},
		},
		{"nic",
			[]string{"part", "slot", "behind", "mode", "speed", "rdma", "vfs", "vf", "firmware", "settings", "ports", "price"}},
		{"bond", []string{"of", "mode", "subnet"}},
		{
			"drive",
			[]string{"part", "bus", "behind", "count", "layout", "read", "write", "capacity", "path", "mounts", "export", "size",
				"shares", "login", "price"},
		},
		{"volume", []string{"of", "layout", "tiers", "at", "path", "export", "shares", "login"}},
		{"profile",
			[]string{"loads", "read", "time", "warmup", "span", "pause", "think", "limit", "cache", "steady", "repeats"}},
		{"switch", []string{"part", "os", "version", "system", "connect", "price"}},
		{"link", []string{"ends", "mesh", "name", "subnet", "addresses", "cable", "adapter", "length", "mtu"}},
		{"item", []string{"part", "price", "label", "count"}},
		{"part", []string{"kind", "name", "speed", "ports", "cage", "bus", "rdma", "media", "ends", "length", "capacity"}},
		{"class", []string{"priority", "dscp", "lossless", "ecn", "share", "match"}},
		{"experiment", append([]string{"method", "from", "to", "on", "via", "repeats", "extract"}, method.Keys()...)},
		{"extract", []string{"match", "unit"}},
		{"goal", []string{"of", "where", "want"}},
	}
}

func (d *decoder) keysOf(entry string) []string {
	if d.keys == nil {
		d.keys = map[string][]string{}
		for _, e := range Entries() {
			d.keys[e.Name] = e.Keys
		}
	}
	return d.keys[entry]
}
