package iproute

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// tcClass is a class of "tc -j -s class show dev X". Releases without JSON output of classes print text.
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
func parseTCClass(text []byte) ([]facts.Class, error) {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return parseTCClassJSON(text)
	}
	classes := []facts.Class{}
	var damage error
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 3 && words[0] == "class":
			options := parse.Pairs(words[3:])
			c := facts.Class{Kind: words[1], Handle: words[2], Parent: options["parent"]}
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
				damage = parse.Partial{Err: fmt.Errorf("class %.40s: %w", c.Handle, err)}
			}
			c.Bytes, c.Packets, c.Drops, c.Overlimits, c.Backlog = n.bytes, n.packets, n.drops, n.overlimits, n.backlog
		}
	}
	if len(classes) == 0 && strings.TrimSpace(string(text)) != "" {
		return nil, parse.ToolError(text)
	}
	return classes, damage
}

func parseTCClassJSON(text []byte) ([]facts.Class, error) {
	var list []tcClass
	if err := parse.ParseJSON(text, &list); err != nil {
		return nil, err
	}
	classes := make([]facts.Class, 0, len(list))
	for _, t := range list {
		if t.Class == "" {
			continue
		}
		c := facts.Class{Kind: t.Class, Handle: t.Handle, Parent: t.Parent, Bytes: t.Bytes, Packets: t.Packets,
			Drops: t.Drops, Overlimits: t.Overlimits, Backlog: t.Backlog}
		if t.Root {
			c.Parent = "root"
		}
		if t.Rate > 0 {
			c.Rate = unit.Known(unit.BitRate(t.Rate) * 8)
		}
		if t.Ceil > 0 {
			c.Ceil = unit.Known(unit.BitRate(t.Ceil) * 8)
		}
		classes = append(classes, c)
	}
	return classes, nil
}

// putTCClass keeps the classes until all disciplines are known.
func putTCClass(f *parse.Builder, args []string, classes []facts.Class) {
	f.Interface(args[0])
	found := parse.StateOf[tcClasses](f)
	if *found == nil {
		*found = tcClasses{}
	}
	(*found)[args[0]] = append((*found)[args[0]], classes...)
}

// AttachClasses assigns the classes to the discipline of their handle's major number.
func AttachClasses(f *parse.Builder, nic *facts.Interface) {
	for _, c := range (*parse.StateOf[tcClasses](f))[nic.Name] {
		major, _, _ := strings.Cut(c.Handle, ":")
		for i := range nic.Qdiscs {
			if q := &nic.Qdiscs[i]; q.Handle == major+":" && q.Kind == c.Kind {
				q.Classes = append(q.Classes, c)
			}
		}
	}
	delete(*parse.StateOf[tcClasses](f), nic.Name)
	for i := range nic.Qdiscs {
		LimitByClass(&nic.Qdiscs[i])
	}
}

// LimitByClass finds the rate of an htb: the lowest ceil from the default class up to the root. Without a default class
// the rate depends on filters, and is unknown.
func LimitByClass(q *facts.Qdisc) {
	if q.Kind != "htb" || q.Classes == nil {
		return
	}
	if q.DefaultClass == "" {
		q.Rate = unit.Unknown[unit.BitRate]("htb has no default class; its filters choose the class")
		return
	}
	byHandle := map[string]*facts.Class{}
	for i := range q.Classes {
		byHandle[q.Classes[i].Handle] = &q.Classes[i]
	}
	limit := unit.Unknown[unit.BitRate]("the default class " + q.DefaultClass + " does not exist, so the traffic " +
		"passes unlimited")
	for at := q.DefaultClass; byHandle[at] != nil; {
		c := byHandle[at]
		if ceil, ok := c.Ceil.Get(); ok && ceil < limit.Or(ceil+1) {
			limit = unit.Known(ceil)
		}
		delete(byHandle, at) // a circular chain ends here
		at = c.Parent
	}
	q.Rate = limit
}

// tcClasses are classes of interfaces, not yet assigned to their disciplines.
type tcClasses map[string][]facts.Class
