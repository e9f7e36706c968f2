package facts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// ipLink is an interface as "ip -j -d -s -s link" prints it; only what is used.
type ipLink struct {
	Index    int               `json:"ifindex,omitempty"`
	Name     string            `json:"ifname"`
	Alias    string            `json:"ifalias,omitempty"`
	Link     string            `json:"link,omitempty"`
	Flags    []string          `json:"flags"`
	MTU      int               `json:"mtu,omitempty"`
	Qdisc    string            `json:"qdisc,omitempty"`
	Master   string            `json:"master,omitempty"`
	State    string            `json:"operstate,omitempty"`
	TxQLen   int               `json:"txqlen,omitempty"`
	LinkType string            `json:"link_type,omitempty"`
	Address  string            `json:"address,omitempty"`
	Info     *ipLinkInfo       `json:"linkinfo,omitempty"`
	TxQueues int               `json:"num_tx_queues,omitempty"`
	RxQueues int               `json:"num_rx_queues,omitempty"`
	GSOMax   uint32            `json:"gso_max_size,omitempty"`
	GSOSegs  uint32            `json:"gso_max_segs,omitempty"`
	GROMax   uint32            `json:"gro_max_size,omitempty"`
	Bus      string            `json:"parentbus,omitempty"`
	Device   string            `json:"parentdev,omitempty"`
	VFs      []vfInfo          `json:"vfinfo_list,omitempty"`
	Stats64  *ipLinkStatistics `json:"stats64,omitempty"`
	Stats    *ipLinkStatistics `json:"stats,omitempty"` // where the kernel has no 64-bit ones

	functions []VirtualFunction // of the text form
	lines     map[string]string // of the text form: "rx", "tx", "member", "carrier"
}

type ipLinkInfo struct {
	Kind      string       `json:"info_kind,omitempty"`
	Data      *ipLinkData  `json:"info_data,omitempty"`
	SlaveKind string       `json:"info_slave_kind,omitempty"`
	Slave     *ipSlaveInfo `json:"info_slave_data,omitempty"`
}

// ipLinkData is what an interface of a kind has set; only a VLAN's is read.
type ipLinkData struct {
	Protocol string `json:"protocol,omitempty"`
	ID       int    `json:"id,omitempty"`
}

// UnmarshalJSON takes what has other types in other kinds for nothing.
func (d *ipLinkData) UnmarshalJSON(text []byte) error {
	var raw struct {
		Protocol, ID json.RawMessage
	}
	if json.Unmarshal(text, &raw) != nil || json.Unmarshal(raw.ID, &d.ID) != nil || json.Unmarshal(raw.Protocol, &d.Protocol) != nil {
		*d = ipLinkData{}
	}
	return nil
}

// ipSlaveInfo is what a bond says of its member.
type ipSlaveInfo struct {
	State    string `json:"state,omitempty"`
	MII      string `json:"mii_status,omitempty"`
	Failures uint64 `json:"link_failure_count,omitempty"`
}

type ipLinkStatistics struct {
	Rx map[string]uint64 `json:"rx"`
	Tx map[string]uint64 `json:"tx"`
}

// parseIPLink reads "ip link", with -s and -d or without: its JSON (-j), or its text.
// Format: https://man7.org/linux/man-pages/man8/ip-link.8.html, iproute2's ip/ipaddress.c.
func parseIPLink(text []byte) ([]ipLink, error) {
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return parseIPLinkText(text)
	}
	var links []ipLink
	if err := parseJSON(text, &links); err != nil {
		return nil, err
	}
	// Some releases print {} for an interface that a filter left out.
	links = slices.DeleteFunc(links, func(l ipLink) bool { return l.Name == "" })
	if len(links) == 0 {
		return nil, fmt.Errorf("it names no interface")
	}
	return links, nil
}

// parseJSON reads the JSON output of ip or tc.
func parseJSON(text []byte, v any) error {
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return fmt.Errorf("it is no JSON list; add -j to the command (%w)", toolError(text))
	}
	err := json.Unmarshal(text, v)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("it is no JSON of this command: the key %.60q holds a %s", kind.Field, kind.Value)
	}
	if err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	return nil
}

func putIPLink(f *Facts, _ []string, links []ipLink) {
	for _, l := range links {
		nic := f.nic(l.Name)
		nic.Index, nic.MTU, nic.Master, nic.Alias = l.Index, l.MTU, l.Master, l.Alias
		nic.MAC = strings.ToLower(l.Address)
		nic.Up, nic.UpKnown = slices.Contains(l.Flags, "UP"), true
		if l.Info != nil {
			nic.Kind = l.Info.Kind
			if stacked(nic.Kind) {
				nic.Lower = l.Link
			}
			if d := l.Info.Data; nic.Kind == "vlan" && d != nil && d.ID > 0 && d.ID < 4095 {
				nic.VLAN = d.ID
				nic.proves("vlan", f.proof(fmt.Sprintf("%s: link %s, vlan protocol %s id %d", l.Name, cmp.Or(l.Link, "not known"), d.Protocol, d.ID)))
			}
		}
		if nic.Up {
			nic.Carrier = known(slices.Contains(l.Flags, "LOWER_UP"))
		} else {
			nic.Carrier = unit.Unknown[bool]("the interface is switched off (ip link set " + l.Name + " up)")
		}
		for _, v := range l.VFs {
			if v.VF >= 0 && v.VF < maxFunctions {
				vf := v.function()
				vf.Proof = f.proof(vf.line())
				nic.function(vf)
			}
		}
		for _, v := range l.functions {
			v.Source = f.reading
			nic.function(v)
		}
		stats := l.Stats64
		if stats == nil {
			stats = l.Stats
		}
		if stats != nil {
			nic.Counters = stats.counters()
			f.interfaceCounts(nic, l.lines["rx"], l.lines["tx"])
		}
		if line := l.lines["carrier"]; line != "" {
			nic.proves("carrier", f.proof(line))
		}
		f.bondMember(l)
	}
}

// bondMember takes up what a bond says of its member.
func (f *Facts) bondMember(l ipLink) {
	if l.Info == nil || l.Info.Slave == nil {
		return
	}
	s, line := l.Info.Slave, l.lines["member"]
	if line == "" {
		line = fmt.Sprintf("%s: state %s, mii_status %s, link_failure_count %d", l.Name, s.State, s.MII, s.Failures)
	}
	f.nic(l.Name).Standby = s.State == "BACKUP"
	if s.MII == "DOWN" && l.Master != "" && slices.Contains(l.Flags, "UP") {
		f.happened(Event{What: MemberDown, Subject: l.Name, Detail: "of " + l.Master, Proof: f.proof(line)})
	}
	f.counted(LinkDowns, l.Name, s.Failures, unit.Unknown[uint64]("links are not lost by frames"), line)
}

// interfaceCounts gives the kernel's counters of an interface their meaning. rx and tx are the lines that have them; empty: the
// output has no lines.
func (f *Facts) interfaceCounts(nic *Interface, rx, tx string) {
	c := nic.Counters
	add := func(what Counted, of, line string, names ...string) {
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
			moved = known(v)
		}
		f.counted(what, nic.Name, c[best], moved, line)
	}
	add(BadFrames, "rx_packets", rx, "rx_crc_errors", "rx_frame_errors", "rx_errors")
	add(NoBuffer, "rx_packets", rx, "rx_missed_errors", "rx_missed", "rx_over_errors", "rx_fifo_errors")
	add(ReceiveDrops, "rx_packets", rx, "rx_dropped")
	add(SendDrops, "tx_packets", tx, "tx_dropped")
}

// stacked says whether an interface of that kind is on top of the one that it names
// as its link; a veth names its peer there.
func stacked(kind string) bool { return kind == "vlan" || kind == "macvlan" || kind == "ipvlan" }

// counters names the counters as sysfs does: rx_bytes, tx_dropped, multicast.
func (s *ipLinkStatistics) counters() map[string]uint64 {
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
