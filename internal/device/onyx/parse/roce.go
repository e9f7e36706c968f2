package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

var (
	onyxRoCEKey  = lazyregexp.New(`^\s*([A-Za-z][\w -]*?)\s*:\s*(.*?)\s*$`)
	onyxRoCETC   = lazyregexp.New(`(?i)^\s*(\d)\s+(\d)\s+(?:\S+\s+)?(?:(WRR)\s+(\d+)%|(Strict))\s*$`)
	onyxRoCEPrio = lazyregexp.New(`(?i)^switch-priority (\d)$`)
	onyxRoCENum  = lazyregexp.New(`^(\d+)`)
)

// readOnyxRoCE reads "show roce" of Onyx, the effective settings of all ports. No snapshot of it exists: the form is
// that of the manual of 3.10, as package config expects it.
func readOnyxRoCE(f *parse.Builder, _ []string, text []byte) error {
	c := &facts.Classes{}
	mode, pfc := "", []int{}
	var ecn, off bool
	var least, most unit.Opt[unit.Bytes]
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		p := f.Proof(line)
		if m := onyxRoCETC.FindStringSubmatch(line); m != nil {
			class, _ := strconv.Atoi(m[2])
			share, err := strconv.ParseFloat(m[4], 64)
			c.SetQueue(class, func(q *facts.Queue) {
				q.Strict = unit.Known(m[3] == "")
				if err == nil {
					q.Weight = unit.Known(share)
				}
			})
			if priority, _ := strconv.Atoi(m[1]); priority < 8 {
				if c.Priorities == nil {
					c.Priorities = map[int]int{}
				}
				c.Priorities[priority] = class
			}
			c.Proves("queue "+m[2], p)
			continue
		}
		m := onyxRoCEKey.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		value := strings.ToLower(m[2])
		switch key := strings.ToLower(m[1]); {
		case key == "roce mode":
			mode = value
			c.Proves("mode", p)
		case key == "port trust mode":
			c.Trust = onyxTrust(value)
			c.Proves("trust", p)
		case key == "mode" && strings.Contains(value, "ecn"):
			ecn = true
			c.Proves("ecn 3", p)
		case key == "min":
			least = onyxBytes(onyxRoCENum.FindString(value) + "KB")
		case key == "max":
			most = onyxBytes(onyxRoCENum.FindString(value) + "KB")
		case key == "pfc":
			off = strings.HasPrefix(value, "disabled")
			c.Proves("pfc", p)
		case onyxRoCEPrio.MatchString(key) && strings.HasPrefix(value, "enabled"):
			class, _ := strconv.Atoi(onyxRoCEPrio.FindStringSubmatch(key)[1])
			pfc = append(pfc, class)
			c.Proofs["pfc"] = p
		}
	}
	if mode == "" {
		return parse.ToolError(text)
	}
	if off {
		pfc = []int{}
	}
	if len(pfc) > 0 || off || mode == "lossy" {
		c.PFCReceive, c.PFCSend = unit.Known(pfc), unit.Known(pfc)
	}
	if ecn {
		c.SetQueue(3, func(q *facts.Queue) { q.ECN, q.Min, q.Max = unit.Known(true), least, most })
	}
	show.KeepForAll(f, c)
	return nil
}

// readOnyxPools reads "show traffic pool", JSON. Snapshot: mellanox.onyx, in a file named "show buffers details".
func readOnyxPools(f *parse.Builder, _ []string, text []byte) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	pools := []facts.BufferPool{}
	for _, p := range n.Members() {
		kind, priorities := p.Kid("Type"), p.Kid("Switch Priorities")
		if kind == nil {
			continue
		}
		list, _ := parse.IntList(priorities.Str())
		pools = append(pools, facts.BufferPool{Name: p.Key, Lossless: strings.EqualFold(kind.Str(), "lossless"),
			Priorities: list, Proof: f.Proof(priorities.Line())})
	}
	if len(pools) == 0 && n.Kid("Exception list") == nil {
		return parse.ToolError(text)
	}
	f.Switch.Pools = pools
	return nil
}

// readOnyxLLDP reads "show lldp interfaces", JSON: whether a port announces its classes. Snapshot: mellanox.onyx.
func readOnyxLLDP(f *parse.Builder, _ []string, text []byte) error {
	return onyxEach(f, text, func(port *facts.Interface, of *parse.JSONNode) {
		send, what := of.Kid("Transmit"), of.Kid("TLVs")
		if send == nil || what == nil {
			return
		}
		c := parse.Effect(port)
		c.DCBX = unit.Known(send.Str() == "Enabled" && strings.Contains(what.Str(), "PFC"))
		c.Proves("dcbx", f.Proof(send.Line()))
	})
}

var (
	onyxRelease = lazyregexp.New(`(?m)^Product release:\s+(\S+)`)
	onyxProduct = lazyregexp.New(`(?m)^Product name:\s+(\S+)`)
)

// readOnyxVersion reads "show version", text or JSON. Snapshots: MLNX-OS 3.6.5000, Onyx 3.7.1160.
func readOnyxVersion(f *parse.Builder, _ []string, text []byte) error {
	name, release := "", ""
	if m := onyxRelease.FindSubmatch(text); m != nil {
		release = string(m[1])
		if p := onyxProduct.FindSubmatch(text); p != nil {
			name = string(p[1])
		}
	} else if n, err := parse.JSONTree(text); err == nil {
		name, release = n.Kid("Product name").Str(), n.Kid("Product release").Str()
	}
	if release == "" {
		return parse.ToolError(text)
	}
	show.SetProduct(f, "Mellanox", "", strings.TrimSpace(name+" "+release))
	return nil
}
