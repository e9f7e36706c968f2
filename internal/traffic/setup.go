package traffic

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
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
	Window    time.Duration `json:"window_ns"`
	Local     netip.Addr    `json:"local"`  // planned address of this end
	Remote    netip.Addr    `json:"remote"` // planned address of the other end
	Port      uint16        `json:"port,omitempty"`
	Token     string        `json:"token,omitempty"`
	Device    string        `json:"device,omitempty"`  // interface to bind to; Linux only, empty: the routing decides
	Pace      unit.BitRate  `json:"pace,omitempty"`    // of each stream's sending program; 0: as fast as it can
	PaceBy    string        `json:"pace_by,omitempty"` // kernel or program; empty: the kernel where it can
	Amount    unit.Bytes    `json:"amount,omitempty"`  // bytes of each direction, divided among its streams, in place of a time; Window is then the limit
	Source    string        `json:"source,omitempty"`  // absolute path of a file at this end that it sends, over and over
	Beside    int           `json:"beside,omitempty"`  // connections of other experiments that run at this end at once
	Seed      uint64        `json:"seed"`              // of the payload
	Tuning    Tuning        `json:"tuning,omitzero"`
	Transport string        `json:"transport,omitempty"` // tcp or udp; empty: tcp
	UDP       UDPOptions    `json:"udp,omitzero"`
	Ports     []uint16      `json:"ports,omitempty"`    // of UDP in place of Port: one a connection
	Every     time.Duration `json:"every_ns,omitempty"` // ping: each pair asks at these times, whatever the answers do; 0: after each answer
	// Samples is how often in a second sockets, cores and counters are read while the window is open; 0: never.
	Samples int `json:"samples,omitempty"`
	// SocketsOnly leaves cores, counters and threads alone: another experiment of this process looks at them meanwhile.
	SocketsOnly bool `json:"sockets_only,omitempty"`

	ClassMark *ClassMark `json:"class_mark,omitempty"` // the class that packets of both ends are sent in; nil: the system's own

	Halo   *HaloOptions `json:"halo,omitempty"` // of halo; Streams is then the number of this host's processes
	Verbs  VerbsOptions `json:"verbs,omitzero"`
	layout *layout      // of this host, read when the end is prepared
	marked *marked      // what became of ClassMark, from then on
	// program is linerate-verbs as the controller sent it; nil: this host's own is used.
	program []byte
	// sleep is what a test puts in place of sleepThread: the kernel does not know of a simulated clock. nil: none.
	sleep   func(ctx context.Context, at int64) bool
	tasks   *workPlan // of this host, where they were listed beforehand; nil: the watch does it
	child   int       // number of a process that does the work of this end; 0: none
	PathMTU bool      `json:"path_mtu,omitempty"` // over ICMP: look for it before the measurement
}

// Ready is what a prepared end says: the data port and its token if it listens, and the message size in effect.
type Ready struct {
	Port  uint16     `json:"port,omitempty"`
	Token string     `json:"token,omitempty"`
	Size  unit.Bytes `json:"size"`
	Ports []uint16   `json:"ports,omitempty"` // of UDP: one a connection
	Verbs *VerbsPeer `json:"verbs,omitempty"` // what the other end has to know before it starts (End.Join)
	Halo  *HaloPeer  `json:"halo,omitempty"`  // where the other hosts of an exchange connect to (End.JoinHalo)
}

// WithProgram is s with linerate-verbs as it was sent to this host.
func (s Setup) WithProgram(program []byte) Setup {
	s.program = program
	return s
}

// Check says what is wrong with s in itself; how much of anything is allowed is for the agent's limits.
func (s Setup) Check() error {
	bad := func(key string, value any, want string) error {
		return &Error{Code: CodeInput, Subject: key, Text: fmt.Sprintf("%v is not %s", value, want)}
	}
	if _, err := method(s.Method); err != nil {
		return err
	}
	switch {
	case s.Side != From && s.Side != To:
		return bad("side", s.Side, "from or to")
	case !slices.Contains([]string{Out, In, Both}, s.Direction):
		return bad("direction", s.Direction, "out, in or both")
	case s.Streams < 1:
		return bad("streams", s.Streams, "at least 1")
	case s.Size < 0:
		return bad("size", int64(s.Size), "a size of at least 1 byte, or 0 for the method's own")
	case s.Window <= 0:
		return bad("window", s.Window, "a duration above 0")
	case s.Pace < 0 || s.Pace > 0 && s.Method != "stream":
		return bad("pace", s.Pace, "a rate above 0, for stream")
	case s.Every < 0 || s.Every > 0 && s.Method != "ping":
		return bad("every", s.Every, "a time above 0, for ping")
	case s.Every > s.Window:
		return bad("every", s.Every, fmt.Sprintf("a time within the window of %v: no question would be asked in it", s.Window))
	case s.Beside < 0 || s.Beside > mostBeside:
		return bad("beside", s.Beside, fmt.Sprintf("a number from 0 to %d", mostBeside))
	case s.Samples < 0:
		return bad("samples", s.Samples, "a number of samples a second, or 0 for none")
	case s.Warmup < 0:
		return bad("warmup", s.Warmup, "a duration of 0 or more")
	case !s.Local.IsValid() && s.Transport != ICMP || s.Local.IsUnspecified() || s.Local.IsMulticast():
		return bad("local", s.Local, "an address of this host")
	case !s.Remote.IsValid() || s.Remote.IsUnspecified() || s.Remote.IsMulticast():
		return bad("remote", s.Remote, "an address of the other host")
	case s.Local.IsValid() && s.Local.Is4() != s.Remote.Is4():
		return bad("remote", s.Remote, "an address of the same family as "+s.Local.String())
	case !s.Listen && s.Transport == UDP && (len(s.Ports) != s.connections() || slices.Contains(s.Ports, 0)):
		return bad("ports", fmt.Sprintf("a list of %d", len(s.Ports)), fmt.Sprintf("the other end's %d data ports", s.connections()))
	case s.PathMTU && s.Transport != ICMP:
		return bad("path_mtu", s.PathMTU, "possible over "+cmp.Or(s.Transport, TCP)+"; it is looked for over icmp")
	case s.Transport == ICMP, s.Transport == RDMA:
	case !s.Listen && s.Transport != UDP && s.Port == 0:
		return bad("port", s.Port, "the data port of the other end")
	case !s.Listen && len(s.Token) != tokenSize:
		return bad("token", fmt.Sprintf("a token of %d characters", len(s.Token)), fmt.Sprintf("one of %d", tokenSize))
	}
	switch {
	case len(s.Device) > 64 || strings.ContainsAny(s.Device, "\x00/ "):
		return bad("device", fmt.Sprintf("%q", s.Device), "the name of an interface")
	}
	for _, check := range []func() error{s.ClassMark.check, s.checkTransport, s.checkPace, s.checkAmount, s.checkSource, s.checkVerbs, s.checkHalo} {
		if err := check(); err != nil {
			return err
		}
	}
	return s.Tuning.check(s)
}

// mostBeside bounds what room is made for: threads of this process.
const mostBeside = 65536

// connections is how many connections the experiment has.
func (s Setup) connections() int {
	if s.Direction == Both {
		return 2 * s.Streams
	}
	return s.Streams
}

// direction is that of connection i: with both, the first half is out.
func (s Setup) direction(i int) string {
	if s.Direction != Both {
		return s.Direction
	}
	if i < s.Streams {
		return Out
	}
	return In
}

// active says whether this end is the active one of connection i.
func (s Setup) active(i int) bool { return (s.direction(i) == Out) == (s.Side == From) }
