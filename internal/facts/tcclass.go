package facts

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// tcClass is a class as "tc -j -s class show dev X" prints it. Releases before
// the JSON output of classes print text there too.
type tcClass struct {
	Class      string `json:"class"`
	Handle     string `json:"handle"`
	Root       bool   `json:"root,omitempty"`
	Parent     string `json:"parent,omitempty"`
	Rate       uint64 `json:"rate"` // bytes per second
	Ceil       uint64 `json:"ceil"`
	Bytes      uint64 `json:"bytes"`
	Packets    uint64 `json:"packets"`
	Drops      uint64 `json:"drops"`
	Overlimits uint64 `json:"overlimits"`
	Backlog    uint64 `json:"backlog"`
}

// parseTCClass reads "tc -s class show dev X", as text or as JSON (-j).
// Format: https://man7.org/linux/man-pages/man8/tc-htb.8.html, iproute2's tc/tc_class.c.
//
//	class htb 1:10 parent 1:1 leaf 10: prio 0 rate 500Mbit ceil 800Mbit burst 1500b cburst 1600b
//	 Sent 90 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)
//	 backlog 0b 0p requeues 0
func parseTCClass(text []byte) ([]Class, error) {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return parseTCClassJSON(text)
	}
	classes := []Class{}
	var damage error
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 3 && words[0] == "class":
			options := pairs(words[3:])
			c := Class{Kind: words[1], Handle: words[2], Parent: options["parent"]}
			if slices.Contains(words, "root") {
				c.Parent = "root"
			}
			none := unit.Unknown[unit.BitRate]("this class has none")
			c.Rate, c.Ceil = tcRateOpt(options["rate"], none), tcRateOpt(options["ceil"], none)
			classes = append(classes, c)
		case len(classes) > 0 && len(words) > 0 && (words[0] == "Sent" || words[0] == "backlog"):
			c := &classes[len(classes)-1]
			n := tcCounters{c.Bytes, c.Packets, c.Drops, c.Overlimits, c.Backlog}
			if err := n.line(words); err != nil {
				damage = partial{fmt.Errorf("class %.40s: %w", c.Handle, err)}
			}
			c.Bytes, c.Packets, c.Drops, c.Overlimits, c.Backlog = n.bytes, n.packets, n.drops, n.overlimits, n.backlog
		}
	}
	if len(classes) == 0 && strings.TrimSpace(string(text)) != "" {
		return nil, toolError(text)
	}
	return classes, damage
}

func parseTCClassJSON(text []byte) ([]Class, error) {
	var list []tcClass
	if err := parseJSON(text, &list); err != nil {
		return nil, err
	}
	classes := make([]Class, 0, len(list))
	for _, t := range list {
		if t.Class == "" {
			continue
		}
		c := Class{Kind: t.Class, Handle: t.Handle, Parent: t.Parent, Bytes: t.Bytes, Packets: t.Packets,
			Drops: t.Drops, Overlimits: t.Overlimits, Backlog: t.Backlog}
		if t.Root {
			c.Parent = "root"
		}
		if t.Rate > 0 {
			c.Rate = known(unit.BitRate(t.Rate) * 8)
		}
		if t.Ceil > 0 {
			c.Ceil = known(unit.BitRate(t.Ceil) * 8)
		}
		classes = append(classes, c)
	}
	return classes, nil
}

// putTCClass keeps the classes until all disciplines are known.
func putTCClass(f *Facts, args []string, classes []Class) {
	nic := f.nic(args[0])
	nic.classes = append(nic.classes, classes...)
}

// attachClasses gives the classes to the discipline of their handle's major number.
func attachClasses(nic *Interface) {
	for _, c := range nic.classes {
		major, _, _ := strings.Cut(c.Handle, ":")
		for i := range nic.Qdiscs {
			if q := &nic.Qdiscs[i]; q.Handle == major+":" && q.Kind == c.Kind {
				q.Classes = append(q.Classes, c)
			}
		}
	}
	nic.classes = nil
	for i := range nic.Qdiscs {
		limitByClass(&nic.Qdiscs[i])
	}
}

// limitByClass finds the rate of an htb: the lowest ceil from the class that
// traffic goes to by default up to the root. Without a default class it depends on
// the filters, and is unknown.
func limitByClass(q *Qdisc) {
	if q.Kind != "htb" || q.Classes == nil {
		return
	}
	if q.DefaultClass == "" {
		q.Rate = unit.Unknown[unit.BitRate]("htb has no default class; its filters choose the class")
		return
	}
	byHandle := map[string]*Class{}
	for i := range q.Classes {
		byHandle[q.Classes[i].Handle] = &q.Classes[i]
	}
	limit := unit.Unknown[unit.BitRate]("the default class " + q.DefaultClass + " does not exist, so the traffic passes unlimited")
	for at := q.DefaultClass; byHandle[at] != nil; {
		c := byHandle[at]
		if ceil, ok := c.Ceil.Get(); ok && ceil < limit.Or(ceil+1) {
			limit = known(ceil)
		}
		delete(byHandle, at) // a chain in a circle ends here
		at = c.Parent
	}
	q.Rate = limit
}
