package iproute

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Link is an interface of "ip -j -d -s -s link", with the used values only.
type Link struct {
	Index    int             `json:"ifindex,omitempty"`
	Name     string          `json:"ifname"`
	Alias    string          `json:"ifalias,omitempty"`
	Link     string          `json:"link,omitempty"`
	Flags    []string        `json:"flags"`
	MTU      int             `json:"mtu,omitempty"`
	Qdisc    string          `json:"qdisc,omitempty"`
	Master   string          `json:"master,omitempty"`
	State    string          `json:"operstate,omitempty"`
	TxQLen   int             `json:"txqlen,omitempty"`
	LinkType string          `json:"link_type,omitempty"`
	Address  string          `json:"address,omitempty"`
	Info     *LinkInfo       `json:"linkinfo,omitempty"`
	TxQueues int             `json:"num_tx_queues,omitempty"`
	RxQueues int             `json:"num_rx_queues,omitempty"`
	GSOMax   uint32          `json:"gso_max_size,omitempty"`
	GSOSegs  uint32          `json:"gso_max_segs,omitempty"`
	GROMax   uint32          `json:"gro_max_size,omitempty"`
	Bus      string          `json:"parentbus,omitempty"`
	Device   string          `json:"parentdev,omitempty"`
	VFs      []VFInfo        `json:"vfinfo_list,omitempty"`
	Stats64  *LinkStatistics `json:"stats64,omitempty"`
	Stats    *LinkStatistics `json:"stats,omitempty"` // if the kernel has no 64-bit ones

	functions []facts.VirtualFunction // of the text form
	lines     map[string]string       // of the text form: "rx", "tx", "member", "carrier"
}

type LinkInfo struct {
	Kind      string     `json:"info_kind,omitempty"`
	Data      *LinkData  `json:"info_data,omitempty"`
	SlaveKind string     `json:"info_slave_kind,omitempty"`
	Slave     *SlaveInfo `json:"info_slave_data,omitempty"`
}

// LinkData has the settings of an interface's kind; only a VLAN's are read.
type LinkData struct {
	Protocol string `json:"protocol,omitempty"`
	ID       int    `json:"id,omitempty"`
}

// UnmarshalJSON ignores values that have other types in other kinds.
func (d *LinkData) UnmarshalJSON(text []byte) error {
	var raw struct {
		Protocol, ID json.RawMessage
	}
	if json.Unmarshal(text, &raw) != nil || json.Unmarshal(raw.ID, &d.ID) != nil ||
		json.Unmarshal(raw.Protocol, &d.Protocol) != nil {
		*d = LinkData{}
	}
	return nil
}

// SlaveInfo is a bond's state of its member.
type SlaveInfo struct {
	State    string `json:"state,omitempty"`
	MII      string `json:"mii_status,omitempty"`
	Failures uint64 `json:"link_failure_count,omitempty"`
}

type LinkStatistics struct {
	Rx map[string]uint64 `json:"rx"`
	Tx map[string]uint64 `json:"tx"`
}

// parseIPLink reads "ip link", with -s and -d or without: its JSON (-j), or its text.
// Format: https://man7.org/linux/man-pages/man8/ip-link.8.html, iproute2's ip/ipaddress.c.
func parseIPLink(text []byte) ([]Link, error) {
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return parseIPLinkText(text)
	}
	var links []Link
	if err := parse.ParseJSON(text, &links); err != nil {
		return nil, err
	}
	// Some releases print {} for a filtered interface.
	links = slices.DeleteFunc(links, func(l Link) bool { return l.Name == "" })
	if len(links) == 0 {
		return nil, fmt.Errorf("it names no interface")
	}
	return links, nil
}

func putIPLink(f *parse.Builder, _ []string, links []Link) {
	for _, l := range links {
		nic := f.Interface(l.Name)
		nic.Index, nic.MTU, nic.Master, nic.Alias = l.Index, l.MTU, l.Master, l.Alias
		nic.MAC = strings.ToLower(l.Address)
		nic.Up, nic.UpKnown = slices.Contains(l.Flags, "UP"), true
		if l.Info != nil {
			nic.Kind = l.Info.Kind
			if facts.Stacked(nic.Kind) {
				nic.Lower = l.Link
			}
			if d := l.Info.Data; nic.Kind == "vlan" && d != nil && d.ID > 0 && d.ID < 4095 {
				nic.VLAN = d.ID
				nic.Proves("vlan", f.Proof(fmt.Sprintf("%s: link %s, vlan protocol %s id %d", l.Name, cmp.Or(l.Link, "not known"),
					d.Protocol, d.ID)))
			}
		}
		if nic.Up {
			nic.Carrier = unit.Known(slices.Contains(l.Flags, "LOWER_UP"))
		} else {
			nic.Carrier = unit.Unknown[bool]("the interface is switched off (ip link set " + l.Name + " up)")
		}
		for _, v := range l.VFs {
			if v.VF >= 0 && v.VF < parse.MaxFunctions {
				vf := v.function()
				vf.Proof = f.Proof(line(&vf))
				SetFunction(nic, vf)
			}
		}
		for _, v := range l.functions {
			v.Source = f.Reading
			SetFunction(nic, v)
		}
		stats := cmp.Or(l.Stats64, l.Stats)
		if stats != nil {
			nic.Counters = stats.counters()
			CountInterface(f, nic, l.lines["rx"], l.lines["tx"])
		}
		if line := l.lines["carrier"]; line != "" {
			nic.Proves("carrier", f.Proof(line))
		}
		bondMember(f, l)
	}
}

// bondMember stores a bond's state of its member.
func bondMember(f *parse.Builder, l Link) {
	if l.Info == nil || l.Info.Slave == nil {
		return
	}
	s, line := l.Info.Slave, l.lines["member"]
	if line == "" {
		line = fmt.Sprintf("%s: state %s, mii_status %s, link_failure_count %d", l.Name, s.State, s.MII, s.Failures)
	}
	f.Interface(l.Name).Standby = s.State == "BACKUP"
	if s.MII == "DOWN" && l.Master != "" && slices.Contains(l.Flags, "UP") {
		f.Happened(facts.Event{What: facts.MemberDown, Subject: l.Name, Detail: "of " + l.Master, Proof: f.Proof(line)})
	}
	f.Counted(facts.LinkDowns, l.Name, s.Failures, unit.Unknown[uint64]("links are not lost by frames"), line)
}

// CountInterface assigns meanings to the kernel's counters of an interface. rx and tx are the lines with them; empty:
// the output has no lines.
func CountInterface(f *parse.Builder, nic *facts.Interface, rx, tx string) {
	c := nic.Counters
	add := func(what facts.Counted, of, line string, names ...string) {
		best := ""
		for _, name := range names {
			if _, ok := c[name]; ok && (best == "" || c[name] > c[best]) {
				best = name
			}
		}
		if best == "" {
			return
		}
		if line == "" {
			line = fmt.Sprintf("%s: %s %d, %s %d", nic.Name, best, c[best], of, c[of])
		}
		moved := unit.Unknown[uint64]("the frames moved are not in this output")
		if v, ok := c[of]; ok {
			moved = unit.Known(v)
		}
		f.Counted(what, nic.Name, c[best], moved, line)
	}
	add(facts.BadFrames, "rx_packets", rx, "rx_crc_errors", "rx_frame_errors", "rx_errors")
	add(facts.NoBuffer, "rx_packets", rx, "rx_missed_errors", "rx_missed", "rx_over_errors", "rx_fifo_errors")
	add(facts.ReceiveDrops, "rx_packets", rx, "rx_dropped")
	add(facts.SendDrops, "tx_packets", tx, "tx_dropped")
}

// counters returns the counters by sysfs's names: rx_bytes, tx_dropped, multicast.
func (s *LinkStatistics) counters() map[string]uint64 {
	c := map[string]uint64{}
	for name, v := range s.Rx {
		if name != "multicast" {
			name = "rx_" + name
		}
		c[name] = v
	}
	for name, v := range s.Tx {
		if name != "collisions" && name != "carrier_changes" {
			name = "tx_" + name
		}
		c[name] = v
	}
	return c
}
