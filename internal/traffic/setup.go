package traffic

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic/socket"
)

// The two ends of an experiment, and the directions of its data: out means that from is the active end.
const (
	From = "from"
	To   = "to"
	Out  = "out"
	In   = "in"
	Both = "both"
)

// Setup is what one end needs to know of an experiment.
type Setup struct {
	Method    string        `json:"method"`
	Side      string        `json:"side"`      // from or to
	Listen    bool          `json:"listen"`    // this end opens the data port; the other connects to it
	Direction string        `json:"direction"` // out, in or both
	Streams   int           `json:"streams"`   // connections in each direction; for ping the pairs
	Size      unit.Bytes    `json:"size"`      // of one message; 0 leaves the choice to the method
	Warmup    time.Duration `json:"warmup_ns"`
	Interval  time.Duration `json:"window_ns"`
	Local     netip.Addr    `json:"local"`  // planned address of this end
	Remote    netip.Addr    `json:"remote"` // planned address of the other end
	Port      uint16        `json:"port,omitempty"`
	Token     string        `json:"token,omitempty"`
	Device    string        `json:"device,omitempty"`  // interface to bind to; Linux only, empty: the routing decides
	Pace      unit.BitRate  `json:"pace,omitempty"`    // of each stream's sending program; 0: as fast as it can
	PaceBy    string        `json:"pace_by,omitempty"` // kernel or program; empty: the kernel where it can
	// bytes of each direction, divided among its streams, in place of a time; Interval is then the limit
	Amount     unit.Bytes `json:"amount,omitempty"`
	Source     string     `json:"source,omitempty"` // absolute path of a file at this end that it sends, over and over
	Background int        `json:"beside,omitempty"` // connections of other experiments that run at this end at once
	Seed       uint64     `json:"seed"`             // of the payload
	Tuning     Tuning     `json:"tuning,omitzero"`
	Transport  string     `json:"transport,omitempty"` // tcp or udp; empty: tcp
	UDP        UDPOptions `json:"udp,omitzero"`
	Ports      []uint16   `json:"ports,omitempty"` // of UDP in place of Port: one a connection
	// ping: each pair asks at these times, whether answers arrive or not; 0: after each answer
	Every time.Duration `json:"every_ns,omitempty"`
	// Samples is how often in a second sockets, cores and counters are read during the interval; 0: never.
	Samples int `json:"samples,omitempty"`
	// SocketsOnly leaves cores, counters and threads alone: another experiment of this process reads them meanwhile.
	SocketsOnly bool `json:"sockets_only,omitempty"`

	// the class that packets of both ends are sent in; nil: the system's own
	ClassMark *socket.ClassMark `json:"class_mark,omitempty"`

	Halo    *HaloOptions `json:"halo,omitempty"` // of halo; Streams is then the number of this host's processes
	Verbs   VerbsOptions `json:"verbs,omitzero"`
	PathMTU bool         `json:"path_mtu,omitempty"` // over ICMP: look for it before the measurement
}

// Ready is what a prepared end reports: the data port and its token if it listens, and the message size in effect.
type Ready struct {
	Port  uint16     `json:"port,omitempty"`
	Token string     `json:"token,omitempty"`
	Size  unit.Bytes `json:"size"`
	Ports []uint16   `json:"ports,omitempty"` // of UDP: one a connection
	Verbs *VerbsPeer `json:"verbs,omitempty"` // what the other end has to know before it starts (End.Join)
	Halo  *HaloPeer  `json:"halo,omitempty"`  // where the other hosts of an exchange connect to (End.Join)
}

// check reports what is wrong with the settings that all engines have.
func (s Setup) check(e Entry) error {
	switch {
	case s.Side != From && s.Side != To:
		return Invalid("side", s.Side, "from or to")
	case !slices.Contains([]string{Out, In, Both}, s.Direction):
		return Invalid("direction", s.Direction, "out, in or both")
	case s.Streams < 1:
		return Invalid("streams", s.Streams, "at least 1")
	case s.Size < 0:
		return Invalid("size", int64(s.Size), "a size of at least 1 byte, or 0 for the method's own")
	case s.Interval <= 0:
		return Invalid("window", s.Interval, "a duration above 0")
	case s.Pace < 0 || s.Pace > 0 && !e.Takes.Pace:
		return Invalid("pace", s.Pace, "a rate above 0, for stream")
	case s.Every < 0 || s.Every > 0 && !e.Takes.Every:
		return Invalid("every", s.Every, "a time above 0, for latency")
	case s.Every > s.Interval:
		return Invalid("every", s.Every,
			fmt.Sprintf("a time within the interval of %v: no question would be asked in it", s.Interval))
	case s.Background < 0 || s.Background > maxBackground:
		return Invalid("beside", s.Background, fmt.Sprintf("a number from 0 to %d", maxBackground))
	case s.Samples < 0:
		return Invalid("samples", s.Samples, "a number of samples a second, or 0 for none")
	case s.Warmup < 0:
		return Invalid("warmup", s.Warmup, "a duration of 0 or more")
	case !s.Local.IsValid() && !e.Takes.LocalChosen || s.Local.IsUnspecified() || s.Local.IsMulticast():
		return Invalid("local", s.Local, "an address of this host")
	case !s.Remote.IsValid() || s.Remote.IsUnspecified() || s.Remote.IsMulticast():
		return Invalid("remote", s.Remote, "an address of the other host")
	case s.Local.IsValid() && s.Local.Is4() != s.Remote.Is4():
		return Invalid("remote", s.Remote, "an address of the same family as "+s.Local.String())
	case s.PathMTU && !e.Takes.PathMTU:
		return Invalid("path_mtu", s.PathMTU, "possible over "+e.Transport+"; it is looked for over icmp")
	case len(s.Device) > 64 || strings.ContainsAny(s.Device, "\x00/ "):
		return Invalid("device", fmt.Sprintf("%q", s.Device), "the name of an interface")
	case s.UDP != (UDPOptions{}) && !e.Takes.UDP:
		return Invalid("udp", "an option of UDP", "for the transport "+e.Transport)
	case s.Verbs != (VerbsOptions{}) && !e.Takes.Verbs:
		return Invalid("rdma", "an option of rdma", "for "+s.Method)
	case s.Halo != nil && !e.Takes.Halo:
		return Invalid("halo", "an option of halo", "for "+s.Method)
	}
	return nil
}

// CheckPort reports what is wrong with what the end that connects has to know of the data port.
func (s Setup) CheckPort() error {
	if !s.Listen && s.Port == 0 {
		return Invalid("port", s.Port, "the data port of the other end")
	}
	return s.CheckToken()
}

// CheckToken reports what is wrong with the token of the end that connects.
func (s Setup) CheckToken() error {
	if !s.Listen && len(s.Token) != socket.TokenSize {
		return Invalid("token", fmt.Sprintf("a token of %d characters", len(s.Token)),
			fmt.Sprintf("one of %d", socket.TokenSize))
	}
	return nil
}

// maxBackground is the most connections of other experiments: each is a thread of this process.
const maxBackground = 65536

// Connections returns the number of connections of the experiment.
func (s Setup) Connections() int {
	if s.Direction == Both {
		return 2 * s.Streams
	}
	return s.Streams
}

// OpeningTime is how much longer than one connection all of them may take to open: a host whose cores are busy, or that
// drops the first packet of some, needs seconds for a thousand.
func (s Setup) OpeningTime() time.Duration {
	return time.Duration(s.Connections()) * 20 * time.Millisecond
}

// DirectionOf returns the direction of connection i: with both, the first half is out.
func (s Setup) DirectionOf(i int) string {
	if s.Direction != Both {
		return s.Direction
	}
	if i < s.Streams {
		return Out
	}
	return In
}

// Active reports whether this end is the active one of connection i.
func (s Setup) Active(i int) bool { return (s.DirectionOf(i) == Out) == (s.Side == From) }

// MostPath is the longest path of a source: what systems take.
const MostPath = 4096

// checkSource reports what is wrong with the source of s.
func (s Setup) checkSource(e Entry) error {
	bad := func(text string) error {
		return &failure.Error{Code: failure.CodeInput, Subject: "source", Text: text}
	}
	sends := s.Direction == Both || (s.Direction == Out) == (s.Side == From)
	switch {
	case s.Source == "":
		return nil
	case e.NoSource != "":
		return bad(e.NoSource)
	case !sends:
		return bad("this end sends nothing")
	case len(s.Source) > MostPath:
		return bad(fmt.Sprintf("a path of %d bytes is longer than %d", len(s.Source), MostPath))
	case s.Tuning.Gather > 1 || s.Tuning.Trial:
		return bad("a file is sent without a trial and without gathered messages")
	}
	return nil
}

// Transports. Empty is TCP.
const (
	TCP   = "tcp"
	UDP   = "udp"
	ICMP  = "icmp"
	MPTCP = "mptcp" // TCP over several paths at once (RFC 8684)
	RDMA  = "rdma"  // which one it is, the device says
)
