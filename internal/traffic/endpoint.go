package traffic

import (
	"context"
	"linerate/internal/traffic/placement"
	"linerate/internal/traffic/socket"
	"syscall"
)

// Endpoint is a setup with what its end knows of its own host.
type Endpoint struct {
	Setup
	Layout  *placement.Layout // of cores and NUMA nodes
	marked  *socket.Marked    // what became of ClassMark
	Program []byte            // linerate-verbs as the controller sent it; nil: this host's own is used
	// Sleep replaces sleepThread in a test, because the kernel has no simulated clock; nil: none.
	Sleep func(ctx context.Context, at int64) bool
}

// newEndpoint reads the layout of this host and turns the nodes of the setup into their cores.
func newEndpoint(s Setup, program []byte) (Endpoint, error) {
	l := Endpoint{Setup: s, Program: program}
	return l, l.place(placement.Sysfs)
}

func (s *Endpoint) place(sys string) error {
	device, index := placement.DeviceOf(s.Device, s.Local, s.Remote)
	s.Layout, s.marked = placement.NewLayout(sys, device, index), &socket.Marked{}
	if len(s.Tuning.Nodes) == 0 {
		return nil
	}
	var err error
	s.Tuning.Cores, err = s.Layout.CoresOf(s.Tuning.Nodes, placement.AllowedCores())
	return err
}

// SleepThread is sleepThread, or what a test replaces it by.
func (s *Endpoint) SleepThread(ctx context.Context, at int64) bool {
	if s.Sleep != nil {
		return s.Sleep(ctx, at)
	}
	return sleepThread(ctx, at)
}

// Mark gives a socket the class of the setup. A system that refuses it can be measured all the same: the outcome has
// what is in effect.
func (s Endpoint) Mark(c syscall.Conn) {
	if s.ClassMark != nil && s.marked != nil {
		s.marked.Set(c, s.Local.Unmap().Is4(), *s.ClassMark)
	}
}

// MarkEffect returns the mark in effect for the record; empty: the setup has none.
func (s Endpoint) MarkEffect() string {
	if s.marked == nil || s.ClassMark == nil {
		return ""
	}
	return s.marked.InEffect()
}

// Threads returns the number of threads that the end needs at once: in an open loop two for each pair that asks.
func (s Endpoint) Threads() int {
	n := s.Connections() + s.Background
	if s.Every > 0 {
		n += s.Connections()
	}
	return n
}

// Seating returns where the end's threads may run.
func (s Endpoint) Seating() placement.Seating {
	return placement.Seating{Layout: s.Layout, First: s.Side == From, Fixed: s.Tuning.Cores}
}
