package traffic

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"linerate/internal/record"
)

// VerbsPeer is what an end has to know of the other end's queue pairs.
type VerbsPeer struct {
	Device string      `json:"device"`
	Link   string      `json:"link"`
	MTU    int64       `json:"mtu"` // of the port, as RDMA counts: 256 to 4096
	Pairs  []VerbsPair `json:"pairs,omitempty"`
	Port   uint16      `json:"port,omitempty"`  // rdma_cm listens there; 0: it does not
	Token  string      `json:"token,omitempty"` // which it wants of one that connects
}

// VerbsPair is one queue pair: its numbers, and the memory behind it.
type VerbsPair struct {
	QPN     int64  `json:"qpn"`
	PSN     int64  `json:"psn"`
	RKey    int64  `json:"rkey"`
	Address uint64 `json:"address"`
	LID     int64  `json:"lid"`
	MTU     int64  `json:"mtu"`   // of its port
	Reads   int64  `json:"reads"` // that it answers at once
	GID     string `json:"gid"`   // 32 hexadecimal digits
}

// verbsEnd is one end of verbs: the program with its queue pairs.
type verbsEnd struct {
	setup   Setup
	options VerbsOptions // with the defaults in
	port    rdmaPort
	own     VerbsPeer
	seen    VerbsSeen
	program *verbsProgram

	mu     sync.Mutex
	joined bool
}

// VerbsSeen is what an end had in effect and saw of its pairs.
type VerbsSeen struct {
	Device    string  `json:"device"`
	Port      int     `json:"port"`
	Link      string  `json:"link"`
	GID       int     `json:"gid"`
	GIDText   string  `json:"gid_text,omitempty"`
	Soft      bool    `json:"soft,omitempty"`
	Transport string  `json:"transport"` // RC or UD
	Connected string  `json:"connected"` // how: through the controller, or rdma_cm
	MTU       int64   `json:"mtu"`
	Inline    int64   `json:"inline"`
	Depth     int64   `json:"depth"`
	Signal    int     `json:"signal"`
	Batch     int     `json:"batch"`
	Yield     int     `json:"yield,omitempty"` // looks in vain after which a pair's thread gives its turn up; 0: never
	Crowded   bool    `json:"crowded,omitempty"`
	SkewNS    int64   `json:"skew_ns"`
	PostNS    float64 `json:"post_ns"` // mean of a call; 0: not known
	PollNS    float64 `json:"poll_ns"`
	Seconds   float64 `json:"seconds"` // of the window that all pairs filled
	// Level and Class are the service level and the traffic class of the first queue pair, as its device says; nil: it does not.
	Level *int64 `json:"service_level,omitempty"`
	Class *int64 `json:"traffic_class,omitempty"`
	// ReleasedNS is the stamp at which the first pair began; 0: it is not known.
	ReleasedNS int64 `json:"released_ns,omitempty"`
	// Broken says that a queue pair failed in the middle, and when; nil: none did.
	Broken     *VerbsBroken `json:"broken,omitempty"`
	LeftOut    int          `json:"left_out,omitempty"` // tenths of the window that a pair did not fill
	AskedBytes int64        `json:"asked_bytes"`        // of the requests that this end asked for and that completed in the window
	CameBytes  int64        `json:"came_bytes"`         // of the messages that came in here in the window (send)
	Pairs      []VerbsSaid  `json:"pairs"`
}

// VerbsSaid is one pair at one end.
type VerbsSaid struct {
	Core       int64 `json:"core"` // -1: not pinned
	Operations int64 `json:"operations"`
	Asked      int64 `json:"asked"` // bytes in the window
	Came       int64 `json:"came"`
	Late       int64 `json:"late"` // operations that completed after the window
	// Posted and Completed are the requests of this end from the first to the last, warm-up and all; nil: a program of this host's own does not say.
	Posted    *int64 `json:"posted,omitempty"`
	Completed *int64 `json:"completed,omitempty"`
	// Trips are its latencies; nil: it asked for none.
	Trips *record.Trips `json:"trips,omitempty"`
}

// rdmaSysfs is where RDMA devices are looked for; tests have a tree of their own.
var rdmaSysfs = sysfs

// prepareVerbs opens the device and makes the queue pairs.
func prepareVerbs(ctx context.Context, s Setup) (_ *verbsEnd, err error) {
	netdev := ""
	if s.layout != nil {
		netdev = s.layout.device
	}
	options := s.Verbs.withDefaults(s.verbsSize())
	e := &verbsEnd{setup: s, options: options}
	if e.port, err = findRDMA(rdmaSysfs, netdev, s.Local, s.Verbs); err != nil {
		return nil, err
	}
	if e.program, err = startVerbs(s.program); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if err := e.hello(ctx); err != nil {
		return nil, err
	}
	if err := e.open(ctx); err != nil {
		return nil, e.said(err)
	}
	return e, nil
}

// cm says whether the pairs connect through rdma_cm, which iWARP needs.
func (e *verbsEnd) cm() bool { return e.port.Link == LinkIWARP }

func (e *verbsEnd) hello(ctx context.Context) error {
	if err := e.program.send("hello"); err != nil {
		return err
	}
	l, err := e.program.next(ctx, verbsAnswer)
	switch {
	case err != nil:
		return err
	case l.Word != VerbsProgram || !slices.Contains(l.Rest, "1"):
		return &Error{Code: CodeInternal, Subject: VerbsProgram, Text: fmt.Sprintf("it says %q and does not speak protocol 1; build it anew: make verbs", l.Word)}
	case l.Values["libibverbs"] != "yes":
		return &Error{Code: CodeUnsupported, Subject: "libibverbs", Text: "the library of RDMA is not on this host: " + l.Text + "; install it: apt-get install libibverbs1 ibverbs-providers (Debian), dnf install libibverbs (Fedora, RHEL)"}
	case e.cm() && l.Values["librdmacm"] != "yes":
		return &Error{Code: CodeUnsupported, Subject: "librdmacm", Text: "iWARP connects through this library, which is not on this host: " + l.Text + "; install it: apt-get install librdmacm1 (Debian), dnf install librdmacm (Fedora, RHEL)"}
	}
	return nil
}

// open has the program open the device; what came of it is in own and seen.
func (e *verbsEnd) open(ctx context.Context) error {
	s, v := e.setup, e.options
	service := map[bool]string{true: "ud", false: "rc"}[v.Datagrams]
	transport, connected := service, "through the controller"
	if e.cm() {
		transport, connected = "cm", "rdma_cm"
	}
	allowed := allowedCores()
	cores := s.Tuning.Cores
	if len(cores) == 0 && s.Tuning.Placement != PlaceOff {
		if s.Tuning.Together {
			cores = placeApart.cores(s.Side, allowed)
		} else {
			cores = placeSpread.cores(s.Side, s.layout.prefer(allowed))
		}
	}
	room := len(cores)
	if room == 0 {
		room = len(allowed)
	}
	e.seen = VerbsSeen{Device: e.port.Device, Port: e.port.Port, Link: e.port.Link, GID: e.port.GID, GIDText: e.port.GIDText, Soft: e.port.Soft,
		Transport: strings.ToUpper(service), Connected: connected, Signal: v.Signal, Batch: v.Batch,
		Crowded: s.Streams > room}
	if s.Halo != nil { // a process has several pairs
		e.seen.Crowded = s.Halo.Together > len(allowed)
	}
	if e.port.Soft || e.seen.Crowded || s.Streams+s.Beside > room {
		e.seen.Yield = verbsYield
		if s.Halo != nil {
			e.seen.Yield = haloYield
		}
	}
	timeout := 14 // 4.096 us * 2^14 = 67 ms until a packet is sent again, as perftest
	if e.port.Soft {
		timeout = 18 // 1.1 s: what a processor does may wait for it that long
	}
	list := ""
	if len(cores) > 0 {
		var words []string
		for i := range s.Streams {
			words = append(words, fmt.Sprint(cores[i%len(cores)]))
		}
		list = strings.Join(words, ",")
	}
	err := e.program.send("open device=%s port=%d gid=%d transport=%s op=%s metric=%s role=%s direction=%s pairs=%d size=%d depth=%d signal=%d inline=%d batch=%d mtu=%d sl=%d tclass=%d cores=%s yield=%d rd_atomic=0 timeout=%d seed=%d",
		e.port.Device, e.port.Port, e.port.GID, transport, v.Op, v.Metric, s.Side, e.direction(), s.Streams, int64(s.verbsSize()), v.Depth, v.Signal,
		v.Inline, v.Batch, v.PathMTU, v.Level, v.Class, list, e.seen.Yield, timeout, s.Seed)
	if err != nil {
		return err
	}
	e.own = VerbsPeer{Device: e.port.Device, Link: e.port.Link}
	for {
		l, err := e.program.next(ctx, verbsAnswer)
		if err != nil {
			return err
		}
		switch l.Word {
		case "pair":
			var p VerbsPair
			var n int64
			if err := l.numbers(map[string]*int64{"n": &n, "qpn": &p.QPN, "psn": &p.PSN, "rkey": &p.RKey, "lid": &p.LID, "mtu": &p.MTU, "rd": &p.Reads}); err != nil {
				return err
			}
			var err error
			if p.Address, err = strconv.ParseUint(l.Values["addr"], 10, 64); err != nil || int(n) != len(e.own.Pairs) || n >= int64(s.Streams) {
				return fmt.Errorf("%s: pair %d is not the one that is due", VerbsProgram, n)
			}
			p.GID = l.Values["gid"]
			e.own.Pairs = append(e.own.Pairs, p)
		case "opened":
			if err := l.numbers(map[string]*int64{"inline": &e.seen.Inline, "mtu": &e.seen.MTU, "depth": &e.seen.Depth}); err != nil {
				return err
			}
			e.own.MTU = e.seen.MTU
			if e.cm() && s.Listen {
				return e.listen(ctx)
			}
			return nil
		}
	}
}

// direction is out where from asks, as the program takes it.
func (e *verbsEnd) direction() string {
	d := e.setup.Direction
	if d == Both || e.options.Op != OpRead || e.options.Metric != MetricGoodput {
		return d
	}
	return map[string]string{Out: In, In: Out}[d]
}

// listen has rdma_cm wait at the planned address for one that knows the token.
func (e *verbsEnd) listen(ctx context.Context) error {
	several := ""
	if h := e.setup.Halo; h != nil { // the pairs lead to several other ends: of those behind this one connections come in
		n := h.awaited()
		if n == 0 {
			return nil
		}
		several = fmt.Sprintf(" pairs=%d", n)
	}
	e.own.Token = newToken()
	if err := e.program.send("listen address=%s token=%s%s", e.setup.Local, e.own.Token, several); err != nil {
		return err
	}
	for {
		l, err := e.program.next(ctx, verbsAnswer)
		if err != nil {
			return err
		}
		if l.Word == "listening" {
			n, err := l.number("port")
			e.own.Port = uint16(n)
			return err
		}
	}
}

// join connects the pairs with those of the other end.
func (e *verbsEnd) join(ctx context.Context, peer VerbsPeer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.joined {
		return &Error{Code: CodeInput, Subject: "verbs", Text: "the pairs are connected already"}
	}
	subject := e.setup.Local.String() + " -> " + e.setup.Remote.String()
	asked := e.setup.Verbs.PathMTU
	switch {
	case peer.Link != e.port.Link:
		return &Error{Code: CodeUnsupported, Subject: subject, Text: fmt.Sprintf("%s speaks %s here and %s speaks %s at the other end; set both the same (RoCE: the type of the GID; cards with two: rdma in the fabric file)", e.port.Device, e.port.Link, peer.Device, peer.Link)}
	case !e.cm() && len(peer.Pairs) != e.setup.Streams:
		return &Error{Code: CodeInput, Subject: subject, Text: fmt.Sprintf("the other end has %d pairs, this one %d", len(peer.Pairs), e.setup.Streams)}
	case asked == 0 && peer.MTU > 0 && e.own.MTU > 0 && peer.MTU != e.own.MTU:
		return &Error{Code: CodeUnsupported, Subject: subject, Text: fmt.Sprintf("the path MTU of %s is %d here, that of %s at the other end is %d: what is larger than the smaller is dropped without a word; give both interfaces the same MTU (4200 and more carries 4096), or ask for the smaller (--path-mtu %d)",
			e.port.Device, e.own.MTU, peer.Device, peer.MTU, min(e.own.MTU, peer.MTU))}
	}
	if err := e.tell(peer); err != nil {
		return e.said(err)
	}
	if err := e.program.send("connect"); err != nil {
		return err
	}
	for {
		limit := prepareVerbsLimit
		if e.setup.Halo != nil {
			limit = prepareExchangeLimit
		}
		l, err := e.program.next(ctx, limit)
		if err != nil {
			return e.said(err)
		}
		if l.Word == "connected" {
			e.joined = true
			n, err := l.number("mtu")
			if e.seen.MTU = n; err != nil {
				return err
			}
			if e.seen.Level, err = l.mayBe("sl"); err == nil {
				e.seen.Class, err = l.mayBe("tclass")
			}
			return err
		}
	}
}

func (e *verbsEnd) isJoined() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.joined
}

// prepareVerbsLimit is how long connecting may take: rdma_cm resolves an address and a route first.
const prepareVerbsLimit = 12 * time.Second

// prepareExchangeLimit is that of an exchange, where one host after the other makes its connections.
const prepareExchangeLimit = 50 * time.Second

// tell gives the program the other end's numbers.
func (e *verbsEnd) tell(peer VerbsPeer) error {
	if e.cm() {
		if e.setup.Halo != nil || e.setup.Listen {
			return nil // of an exchange the pairs were told one by one
		}
		return e.dial(e.setup.Remote, peer, "")
	}
	for i, p := range peer.Pairs {
		if !isHex(p.GID) || len(p.GID) != 32 {
			return &Error{Code: CodeInput, Subject: "verbs", Text: fmt.Sprintf("%.40q is no GID", p.GID)}
		}
		if err := e.program.send("peer n=%d qpn=%d psn=%d rkey=%d addr=%d lid=%d gid=%s mtu=%d rd=%d", i, p.QPN, p.PSN, p.RKey, p.Address, p.LID, p.GID, p.MTU, p.Reads); err != nil {
			return err
		}
	}
	return nil
}

// dial has the program connect to where rdma_cm of the other end listens; which pairs: all, or as several says.
func (e *verbsEnd) dial(to netip.Addr, peer VerbsPeer, several string) error {
	if peer.Port == 0 || !isHex(peer.Token) || !to.IsValid() {
		return &Error{Code: CodeInput, Subject: "verbs", Text: "the other end did not say where its rdma_cm listens"}
	}
	return e.program.send("dial address=%s port=%d token=%s%s", to, peer.Port, peer.Token, several)
}

func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}

// close ends the program, and with it the kernel takes queue pairs and memory back.
func (e *verbsEnd) close() {
	if e.program != nil {
		e.program.end()
	}
}

// said turns an error of the program into one of this package, with what it is about.
func (e *verbsEnd) said(err error) error {
	var own *Error
	var line *verbsError
	if errors.As(err, &own) || !errors.As(err, &line) {
		return err
	}
	subject := fmt.Sprintf("%s port %d", e.port.Device, e.port.Port)
	if n, ok := line.Values["pair"]; ok && n != "-1" {
		subject += ", pair " + n
	}
	code := CodeInternal
	switch line.Values["errno"] {
	case "12": // ENOMEM
		code = CodeLimit
	case "110": // ETIMEDOUT
		code = CodeTimeout
	case "22", "95", "19": // EINVAL, EOPNOTSUPP, ENODEV
		code = CodeUnsupported
	}
	if st := line.Values["status"]; st != "" && st != "0" || goneSteps[line.Values["step"]] {
		code = CodeReset
	}
	return &Error{Code: code, Subject: subject, Text: line.Error()}
}
