// Package mptcp is the engine of bulk transfers over MPTCP (RFC 8684): TCP that uses several paths at once. It adds no
// endpoints to a host: they come from the plan or the lab (ip mptcp endpoint).
package mptcp

import (
	"context"
	"fmt"
	"runtime"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/tcp"
)

// Stream is the entry of bulk transfers over MPTCP.
func Stream() traffic.Entry {
	e := tcp.Stream()
	plain := e.Check
	e.Transport, e.Prepare = traffic.MPTCP, prepare
	e.NoAmount = "it is for the transport tcp; over mptcp measure a time"
	e.NoSource = "it is for the transport tcp"
	e.Check = func(s traffic.Setup) error {
		switch {
		case s.Tuning.Copies != "" && s.Tuning.Copies != traffic.CopiesBoth:
			return traffic.Invalid("copies", s.Tuning.Copies, "a setting of mptcp; leave it out")
		case s.PaceBy == traffic.PaceByKernel:
			return traffic.Invalid("pace_by", s.PaceBy, "possible over mptcp, where the kernel would pace each path; "+
				"let the program do it (pace_by program)")
		}
		return plain(s)
	}
	return e
}

// engine is the engine of TCP over other sockets, which adds the paths to the outcome.
type engine struct {
	traffic.Engine
	views []*view
}

func prepare(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) {
	if runtime.GOOS != "linux" {
		return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: "mptcp",
			Text: "MPTCP is measured on Linux alone in this version, and this host runs " + runtime.GOOS + "; use tcp"}
	}
	if s.Pace > 0 {
		s.PaceBy = traffic.PaceByProgram
	}
	s.Device = "" // the paths go over several interfaces
	e := &engine{views: make([]*view, s.Connections())}
	var err error
	e.Engine, err = tcp.PrepareStream(ctx, s,
		tcp.Variant{Multipath: true, Kernel: func(w *tcp.Wire, i int) traffic.Kernel {
			e.views[i] = newView(w)
			return e.views[i]
		}})
	return e, err
}

// Run adds to the outcome of TCP which paths each connection had, and which connections fell back to TCP.
func (e *engine) Run(ctx context.Context, x traffic.Execution) (*traffic.Outcome, error) {
	o, err := e.Engine.Run(ctx, x)
	if err != nil {
		return nil, err
	}
	fallen, why := 0, ""
	for i := range o.Streams {
		v := e.views[o.Streams[i].Index]
		if v == nil {
			continue
		}
		if text := v.fallback(); text != "" {
			fallen, why = fallen+1, text
			continue
		}
		o.Streams[i].Subflows = v.subflows()
	}
	if fallen > 0 {
		o.InEffect.Multipath = fmt.Sprintf("%d of %d connections fell back to TCP: %s", fallen, len(o.Streams), why)
		o.Warnings = append(o.Warnings, o.InEffect.Multipath)
	}
	return o, nil
}
