package mptcp

import (
	"errors"
	"sync"

	"linerate/internal/base/xslices"
	"linerate/internal/traffic"
	"linerate/internal/traffic/tcp"
)

// view is the kernel's view of one connection. The options of TCP tell of its first path alone, and so are asked only
// where the connection fell back.
type view struct {
	wire *tcp.Wire

	mu            sync.Mutex
	plain         string // why it is plain TCP; empty: it is not
	before, after reading
	order         []path // of all paths that were seen, as they came
}

func newView(w *tcp.Wire) *view {
	v := &view{wire: w}
	v.note()
	return v
}

// note looks whether the connection fell back.
func (v *view) note() bool {
	info := make([]byte, 256)
	n, err := v.wire.Option(solMPTCP, optInfo, info)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case isPlain(err):
		v.plain = "one of the two hosts does not have MPTCP or has it off (sysctl net.mptcp.enabled), " +
			"or something between them takes its options out"
	case err == nil && fellBack(info[:n]):
		v.plain = "something between the hosts takes the options of MPTCP out or changes the data"
	}
	return v.plain != ""
}

func (v *view) fallback() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.plain
}

// Arrival is unknown over several paths: what the kernel counts is of each of them.
func (v *view) Arrival() traffic.Arrival {
	if v.fallback() != "" {
		return v.wire.Arrival()
	}
	return traffic.Arrival{}
}

var errPaths = errors.New("a connection over MPTCP has counters of each path, not of itself")

// Reading is asked at the two edges of the interval.
func (v *view) Reading() (*traffic.Reading, error) {
	if v.note() {
		return v.wire.Reading()
	}
	v.look()
	return nil, errPaths
}

// Ask is asked at the edges of the interval where there are very many connections, and in between.
func (v *view) Ask(buf []byte, queues bool) (*traffic.Reading, error) {
	if v.fallback() != "" {
		return v.wire.Ask(buf, queues)
	}
	if !queues {
		v.look()
	}
	return nil, errPaths
}

// look reads the counters of all paths: the first time at the beginning of the interval, the last time at its end.
func (v *view) look() {
	addrs, infos := request(addrsSize), request(tcpInfoSize)
	n, err := v.wire.Option(solMPTCP, optSubflowAddrs, addrs)
	m, err2 := v.wire.Option(solMPTCP, optTCPInfo, infos)
	if err != nil || err2 != nil {
		return
	}
	now, order, err := parseReading(addrs[:n], infos[:m])
	if err != nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.before == nil {
		v.before = now
	}
	v.after = now
	for _, p := range order {
		v.order = xslices.AppendNew(v.order, p)
	}
}

// subflows is what the paths carried over the interval.
func (v *view) subflows() []traffic.Subflow {
	v.mu.Lock()
	defer v.mu.Unlock()
	return between(v.before, v.after, v.order)
}
