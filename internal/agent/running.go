package agent

import (
	"maps"
	"slices"
	"sync"
)

// running is what requests have started and not ended, by the number of the request.
type running[T any] struct {
	mu  sync.Mutex
	all map[uint64]T
}

func (r *running[T]) put(id uint64, v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[uint64]T{}
	}
	r.all[id] = v
}

// get is the zero value where there is nothing with that number.
func (r *running[T]) get(id uint64) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[id]
}

func (r *running[T]) remove(id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, id)
}

// takeAll removes everything and returns it.
func (r *running[T]) takeAll() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Collect(maps.Values(r.all))
	r.all = nil
	return all
}
