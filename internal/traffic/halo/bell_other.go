//go:build !linux

package halo

import "sync/atomic"

// bell wakes a thread that waits for a number to change.
type bell struct{ rung chan struct{} }

func newBell() bell { return bell{make(chan struct{}, 1)} }

func (b bell) ring(*atomic.Uint32) {
	select {
	case b.rung <- struct{}{}:
	default: // already rung
	}
}

func (b bell) await(number *atomic.Uint32, was uint32, over *atomic.Bool) {
	for number.Load() == was && !over.Load() {
		<-b.rung
	}
}
