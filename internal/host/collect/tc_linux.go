package collect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"

	"linerate/internal/facts/parse/iproute"
)

// renderQdiscs formats the kernel's list as "tc -j -s -d qdisc", in which rates are bytes per second.
func renderQdiscs(list []netlink.Qdisc, names map[int]string) []iproute.Qdisc {
	out := []iproute.Qdisc{}
	for _, qdisc := range list {
		a := qdisc.Attrs()
		q := iproute.Qdisc{Kind: qdisc.Type(), Handle: tcMajor(a.Handle), Dev: names[a.LinkIndex], Options: map[string]any{}}
		if q.Root = a.Parent == netlink.HANDLE_ROOT; !q.Root {
			q.Parent = tcHandle(a.Parent)
		}
		if s := a.Statistics; s != nil {
			if s.Basic != nil {
				q.Bytes, q.Packets = s.Basic.Bytes, uint64(s.Basic.Packets)
			}
			if s.Queue != nil {
				q.Drops, q.Overlimits, q.Requeues = uint64(s.Queue.Drops), uint64(s.Queue.Overlimits), uint64(s.Queue.Requeues)
				q.Backlog, q.Qlen = uint64(s.Queue.Backlog), uint64(s.Queue.Qlen)
			}
		}
		switch t := qdisc.(type) {
		case *netlink.Tbf:
			q.Options["rate"], q.Options["limit"] = t.Rate, t.Limit
			q.Options["burst"] = netlink.Xmitsize(t.Rate, t.Buffer)
		case *netlink.Htb:
			q.Options["default"] = fmt.Sprintf("%#x", t.Defcls)
			q.Options["direct_packets_stat"] = t.DirectPkts
		case *netlink.Netem:
			q.Options["limit"] = t.Limit
			if t.Rate64 > 0 {
				q.Options["rate"] = map[string]any{"rate": t.Rate64}
			}
		case *netlink.Fq:
			q.Options["limit"] = fmt.Sprint(t.PacketLimit, "p")
			if t.FlowMaxRate > 0 && t.FlowMaxRate != ^uint32(0) {
				q.Options["maxrate"] = t.FlowMaxRate // per flow
			}
		}
		out = append(out, q)
	}
	return out
}

// classes adds the classes of the shapers that have them, as tc's text: its JSON of classes is newer than the releases
// in use.
func (c *collector) classes(h *netlink.Handle, qdiscs []netlink.Qdisc, names map[int]string) {
	var devices []int
	for _, q := range qdiscs {
		if i := q.Attrs().LinkIndex; q.Type() == "htb" && !slices.Contains(devices, i) {
			devices = append(devices, i)
		}
	}
	for _, index := range devices {
		c.read("tc -s class show dev "+names[index], func() ([]byte, error) {
			link := &netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Index: index, Name: names[index]}}
			list, err := dump(func() ([]netlink.Class, error) { return h.ClassList(link, netlink.HANDLE_NONE) })
			if err != nil {
				return nil, err
			}
			var b strings.Builder
			for _, class := range list {
				renderClass(&b, class)
			}
			return []byte(b.String()), nil
		})
	}
}

func renderClass(b *strings.Builder, class netlink.Class) {
	a := class.Attrs()
	parent := "parent " + tcHandle(a.Parent)
	if a.Parent == netlink.HANDLE_ROOT {
		parent = "root"
	}
	fmt.Fprintf(b, "class %s %s %s", class.Type(), tcHandle(a.Handle), parent)
	if a.Leaf != 0 {
		fmt.Fprintf(b, " leaf %s", tcMajor(a.Leaf))
	}
	if t, ok := class.(*netlink.HtbClass); ok {
		fmt.Fprintf(b, " prio %d rate %dbit ceil %dbit burst %db cburst %db", t.Prio, t.Rate*8, t.Ceil*8,
			netlink.Xmitsize(t.Rate, t.Buffer), netlink.Xmitsize(t.Ceil, t.Cbuffer))
	}
	b.WriteString("\n")
	if s := a.Statistics; s != nil && s.Basic != nil && s.Queue != nil {
		fmt.Fprintf(b, " Sent %d bytes %d pkt (dropped %d, overlimits %d requeues %d)\n backlog %db %dp requeues %d\n",
			s.Basic.Bytes, s.Basic.Packets, s.Queue.Drops, s.Queue.Overlimits, s.Queue.Requeues, s.Queue.Backlog, s.Queue.Qlen,
			s.Queue.Requeues)
	}
}

// tcMajor returns the handle of a discipline, "1:". tcHandle returns that of a class, "1:10".
func tcMajor(h uint32) string { return fmt.Sprintf("%x:", h>>16) }

func tcHandle(h uint32) string {
	major, minor := h>>16, h&0xffff
	switch {
	case major == 0:
		return fmt.Sprintf(":%x", minor)
	case minor == 0:
		return tcMajor(h)
	}
	return fmt.Sprintf("%x:%x", major, minor)
}
