package rdma

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

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
	"linerate/internal/traffic/socket"
)

// Engine is one end of verbs: the program with its queue pairs.
type Engine struct {
	setup   traffic.Endpoint
	options traffic.VerbsOptions // with the defaults in
	sharing *Sharing             // nil: the pairs lead to one other end
	port    rdmaPort
	Own     traffic.VerbsPeer
	Seen    traffic.VerbsSeen
	Program *Process

	mu     sync.Mutex
	joined bool
}

// Sharing is what differs where processes share the pairs, which lead to several other ends.
type Sharing struct {
	Processes int // on this machine
	Awaited   int // pairs to which other ends connect, where rdma_cm has to (iWARP)
	Yield     int // polls without result after which a process yields
}

// rdmaSysfs is where RDMA devices are looked for; tests have a tree of their own.
var rdmaSysfs = "/sys"

// Prepare opens the device and makes the queue pairs.
func Prepare(ctx context.Context, s traffic.Endpoint, x *Sharing) (_ *Engine, err error) {
	netdev := ""
	if s.Layout != nil {
		netdev = s.Layout.Device
	}
	options := withDefaults(s.Verbs, sizeOf(s.Setup))
	e := &Engine{setup: s, options: options, sharing: x}
	if e.port, err = findRDMA(rdmaSysfs, netdev, s.Local, s.Verbs); err != nil {
		return nil, err
	}
	if e.Program, err = StartProgram(s.Program); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	if err := e.hello(ctx); err != nil {
		return nil, err
	}
	if err := e.open(ctx); err != nil {
		return nil, e.Said(err)
	}
	return e, nil
}

// Cm reports whether the pairs connect through rdma_cm, which iWARP needs.
func (e *Engine) Cm() bool { return e.port.Link == traffic.LinkIWARP }

func (e *Engine) hello(ctx context.Context) error {
	if err := e.Program.Send("hello"); err != nil {
		return err
	}
	l, err := e.Program.Next(ctx, AnswerLimit)
	switch {
	case err != nil:
		return err
	case l.Word != Program || !slices.Contains(l.Rest, "1"):
		return &failure.Error{Code: failure.CodeInternal, Subject: Program,
			Text: fmt.Sprintf("it says %q and does not speak protocol 1; build it again: make verbs", l.Word)}
	case l.Values["libibverbs"] != "yes":
		return &failure.Error{Code: failure.CodeUnsupported, Subject: "libibverbs",
			Text: "the library of RDMA is not on this host: " + l.Text + "; install it: apt-get install libibverbs1 " +
				"ibverbs-providers (Debian), dnf install libibverbs (Fedora, RHEL)"}
	case e.Cm() && l.Values["librdmacm"] != "yes":
		return &failure.Error{Code: failure.CodeUnsupported, Subject: "librdmacm",
			Text: "iWARP connects through this library, which is not on this host: " + l.Text + "; install it: apt-get " +
				"install librdmacm1 (Debian), dnf install librdmacm (Fedora, RHEL)"}
	}
	return nil
}

// open makes the program open the device, and sets Own and seen.
func (e *Engine) open(ctx context.Context) error {
	s, v := e.setup, e.options
	service := "rc"
	if v.Datagrams {
		service = "ud"
	}
	transport, connected := service, "through the controller"
	if e.Cm() {
		transport, connected = "cm", "rdma_cm"
	}
	allowed := placement.AllowedCores()
	cores := s.Tuning.Cores
	if len(cores) == 0 && s.Tuning.Placement != traffic.PlaceOff {
		if s.Tuning.Together {
			cores = placement.Apart.Cores(s.Side == traffic.From, allowed)
		} else {
			cores = placement.Spread.Cores(s.Side == traffic.From, s.Layout.Prefer(allowed))
		}
	}
	room := len(cores)
	if room == 0 {
		room = len(allowed)
	}
	e.Seen = traffic.VerbsSeen{Device: e.port.Device, Port: e.port.Port, Link: e.port.Link, GID: e.port.GID,
		GIDText: e.port.GIDText, Soft: e.port.Soft, Transport: strings.ToUpper(service), Connected: connected,
		Signal: v.Signal, Batch: v.Batch, Crowded: s.Streams > room}
	if x := e.sharing; x != nil { // a process has several pairs
		e.Seen.Crowded = x.Processes > len(allowed)
	}
	if e.port.Soft || e.Seen.Crowded || s.Streams+s.Background > room {
		e.Seen.Yield = Yield
		if e.sharing != nil {
			e.Seen.Yield = e.sharing.Yield
		}
	}
	timeout := 14 // 4.096 us * 2^14 = 67 ms until a packet is retransmitted, as perftest
	if e.port.Soft {
		timeout = 18 // 1.1 s: work of a CPU may wait for it that long
	}
	list := ""
	if len(cores) > 0 {
		var words []string
		for i := range s.Streams {
			words = append(words, fmt.Sprint(cores[i%len(cores)]))
		}
		list = strings.Join(words, ",")
	}
	err := e.Program.Send("open device=%s port=%d gid=%d transport=%s op=%s metric=%s role=%s direction=%s pairs=%d "+
		"size=%d depth=%d signal=%d inline=%d batch=%d mtu=%d sl=%d tclass=%d cores=%s yield=%d rd_atomic=0 timeout=%d "+
		"seed=%d",
		e.port.Device, e.port.Port, e.port.GID, transport, v.Op, v.Metric, s.Side, e.direction(), s.Streams,
		int64(sizeOf(s.Setup)), v.Depth, v.Signal,
		v.Inline, v.Batch, v.PathMTU, v.Level, v.Class, list, e.Seen.Yield, timeout, s.Seed)
	if err != nil {
		return err
	}
	e.Own = traffic.VerbsPeer{Device: e.port.Device, Link: e.port.Link}
	for {
		l, err := e.Program.Next(ctx, AnswerLimit)
		if err != nil {
			return err
		}
		switch l.Word {
		case "pair":
			var p traffic.VerbsPair
			var n int64
			if err := l.Numbers(map[string]*int64{"n": &n, "qpn": &p.QPN, "psn": &p.PSN, "rkey": &p.RKey, "lid": &p.LID,
				"mtu": &p.MTU, "rd": &p.Reads}); err != nil {
				return err
			}
			var err error
			if p.Address, err = strconv.ParseUint(l.Values["addr"], 10, 64); err != nil || int(n) != len(e.Own.Pairs) ||
				n >= int64(s.Streams) {
				return fmt.Errorf("%s: pair %d is not the one that is due", Program, n)
			}
			p.GID = l.Values["gid"]
			e.Own.Pairs = append(e.Own.Pairs, p)
		case "opened":
			if err := l.Numbers(map[string]*int64{"inline": &e.Seen.Inline, "mtu": &e.Seen.MTU,
				"depth": &e.Seen.Depth}); err != nil {
				return err
			}
			e.Own.MTU = e.Seen.MTU
			if e.Cm() && s.Listen {
				return e.listen(ctx)
			}
			return nil
		}
	}
}

// direction returns the argument of the program: out where from asks.
func (e *Engine) direction() string {
	d := e.setup.Direction
	if d == traffic.Both || e.options.Op != traffic.OpRead || e.options.Metric != traffic.MetricGoodput {
		return d
	}
	return map[string]string{traffic.Out: traffic.In, traffic.In: traffic.Out}[d]
}

// listen makes rdma_cm wait at the planned address for a peer with the token.
func (e *Engine) listen(ctx context.Context) error {
	several := ""
	if x := e.sharing; x != nil {
		if x.Awaited == 0 {
			return nil
		}
		several = fmt.Sprintf(" pairs=%d", x.Awaited)
	}
	e.Own.Token = socket.NewToken()
	if err := e.Program.Send("listen address=%s token=%s%s", e.setup.Local, e.Own.Token, several); err != nil {
		return err
	}
	for {
		l, err := e.Program.Next(ctx, AnswerLimit)
		if err != nil {
			return err
		}
		if l.Word == "listening" {
			n, err := l.Number("port")
			e.Own.Port = uint16(n)
			return err
		}
	}
}

// Connect connects the pairs with those of the other end.
func (e *Engine) Connect(ctx context.Context, peer traffic.VerbsPeer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.joined {
		return &failure.Error{Code: failure.CodeInput, Subject: "rdma", Text: "the pairs are connected already"}
	}
	subject := e.setup.Local.String() + " -> " + e.setup.Remote.String()
	asked := e.setup.Verbs.PathMTU
	switch {
	case peer.Link != e.port.Link:
		return &failure.Error{Code: failure.CodeUnsupported, Subject: subject,
			Text: fmt.Sprintf("%s speaks %s here and %s speaks %s at the other end; set both the same (RoCE: the type of the "+
				"GID; NICs with two: rdma in the fabric file)", e.port.Device, e.port.Link, peer.Device, peer.Link)}
	case !e.Cm() && len(peer.Pairs) != e.setup.Streams:
		return &failure.Error{Code: failure.CodeInput, Subject: subject,
			Text: fmt.Sprintf("the other end has %d pairs, this one %d", len(peer.Pairs), e.setup.Streams)}
	case asked == 0 && peer.MTU > 0 && e.Own.MTU > 0 && peer.MTU != e.Own.MTU:
		return &failure.Error{Code: failure.CodeUnsupported, Subject: subject,
			Text: fmt.Sprintf("the path MTU of %s is %d here, that of %s at the other end is %d: what is larger than the "+
				"smaller is dropped without a word; give both interfaces the same MTU (4200 and more carries 4096), or ask for "+
				"the smaller (--path-mtu %d)",
				e.port.Device, e.Own.MTU, peer.Device, peer.MTU, min(e.Own.MTU, peer.MTU))}
	}
	if err := e.tell(peer); err != nil {
		return e.Said(err)
	}
	if err := e.Program.Send("connect"); err != nil {
		return err
	}
	for {
		limit := prepareVerbsLimit
		if e.sharing != nil {
			limit = prepareExchangeLimit
		}
		l, err := e.Program.Next(ctx, limit)
		if err != nil {
			return e.Said(err)
		}
		if l.Word == "connected" {
			e.joined = true
			n, err := l.Number("mtu")
			if e.Seen.MTU = n; err != nil {
				return err
			}
			if e.Seen.Level, err = l.mayBe("sl"); err == nil {
				e.Seen.Class, err = l.mayBe("tclass")
			}
			return err
		}
	}
}

func (e *Engine) isJoined() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.joined
}

// prepareVerbsLimit is how long connecting may take: rdma_cm resolves an address and a route first.
const prepareVerbsLimit = 12 * time.Second

// prepareExchangeLimit is that of an exchange, where one host after the other makes its connections.
const prepareExchangeLimit = 50 * time.Second

// tell sends the program the other end's numbers.
func (e *Engine) tell(peer traffic.VerbsPeer) error {
	if e.Cm() {
		if e.sharing != nil || e.setup.Listen {
			return nil // an exchange connects its pairs one by one
		}
		return e.Dial(e.setup.Remote, peer, "")
	}
	for i, p := range peer.Pairs {
		if !isHex(p.GID) || len(p.GID) != 32 {
			return &failure.Error{Code: failure.CodeInput, Subject: "rdma", Text: fmt.Sprintf("%.40q is not a GID", p.GID)}
		}
		if err := e.Program.Send("peer n=%d qpn=%d psn=%d rkey=%d addr=%d lid=%d gid=%s mtu=%d rd=%d", i, p.QPN, p.PSN,
			p.RKey, p.Address, p.LID, p.GID, p.MTU, p.Reads); err != nil {
			return err
		}
	}
	return nil
}

// Dial makes the program connect to the port of the other end's rdma_cm: all pairs, or several as given.
func (e *Engine) Dial(to netip.Addr, peer traffic.VerbsPeer, several string) error {
	if peer.Port == 0 || !isHex(peer.Token) || !to.IsValid() {
		return &failure.Error{Code: failure.CodeInput, Subject: "rdma",
			Text: "the other end did not say where its rdma_cm listens"}
	}
	return e.Program.Send("dial address=%s port=%d token=%s%s", to, peer.Port, peer.Token, several)
}

func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}

// Close ends the program, with which the kernel frees queue pairs and memory.
func (e *Engine) Close() {
	if e.Program != nil {
		e.Program.End()
	}
}

// Said turns an error of the program into one with a code and a subject.
func (e *Engine) Said(err error) error {
	var own *failure.Error
	var line *LineError
	if errors.As(err, &own) || !errors.As(err, &line) {
		return err
	}
	subject := fmt.Sprintf("%s port %d", e.port.Device, e.port.Port)
	if n, ok := line.Values["pair"]; ok && n != "-1" {
		subject += ", pair " + n
	}
	code := failure.CodeInternal
	switch line.Values["errno"] {
	case "12": // ENOMEM
		code = failure.CodeLimit
	case "110": // ETIMEDOUT
		code = failure.CodeTimeout
	case "22", "95", "19": // EINVAL, EOPNOTSUPP, ENODEV
		code = failure.CodeUnsupported
	}
	if st := line.Values["status"]; st != "" && st != "0" || goneSteps[line.Values["step"]] {
		code = failure.CodeReset
	}
	return &failure.Error{Code: code, Subject: subject, Text: line.Error()}
}

// Ready adds the numbers of this end's queue pairs.
func (e *Engine) Ready(r *traffic.Ready) { r.Verbs = &e.Own }

// Join connects the pairs with those of the other end.
func (e *Engine) Join(ctx context.Context, peers traffic.Peers) error {
	return e.Connect(ctx, peers.Verbs)
}
