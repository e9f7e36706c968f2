package traffic

import "slices"

// arrival is what the kernel has received of one connection up to a stamp, whether it was read or not.
type arrival struct {
	stamp   int64 // 0: not known
	bytes   int64 // in order, since the connection began
	unread  int64 // of them, in the socket
	waiting int64 // memory of segments that wait for a lost one before them, an upper bound of their bytes
}

const (
	// censuses is how often a census is tried: it counts if it took no longer than quickCensus and quickEach a
	// connection, else the quickest of them does. A thread that was put aside in between asks its connections at
	// very different times.
	censuses    = 3
	quickCensus = 500_000
	quickEach   = 3_000
)

// census asks the kernel of every connection that receives what has arrived. The cut needs it where readers are
// behind: nobody else knows of bytes that wait in the socket of a thread that had no turn.
func census(tasks []*task) []arrival {
	receiving := slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.wire == nil || t.active() })
	if len(receiving) == 0 {
		return nil
	}
	var best []arrival
	quickest := int64(0)
	for range censuses {
		all := make([]arrival, len(receiving))
		began := Now()
		for i, t := range receiving {
			all[i] = t.wire.arrival()
		}
		took := Now() - began
		if best == nil || took < quickest {
			best, quickest = all, took
		}
		if quickest <= quickCensus+int64(len(receiving))*quickEach {
			break
		}
	}
	return best
}

// heldUnread is how many bytes in sockets are no sign that readers are behind: a packet of the largest size has just
// come, and the one before it is being read.
const heldUnread = 128 << 10

// pending is the bytes that wait in all sockets to be read, and the memory of those that wait for a lost segment.
func pending(all []arrival) (unread, waiting int64) {
	for _, a := range all {
		unread, waiting = unread+a.unread, waiting+a.waiting
	}
	return unread, waiting
}

// arrived is the bytes a second that came in between two censuses, and says whether they tell. Each connection has
// the time between its own two questions.
func arrived(w window, a, b []arrival) (perSecond float64, ok bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	var freed int64
	var mean float64
	for i := range a {
		length := b[i].stamp - a[i].stamp
		if a[i].stamp == 0 || b[i].stamp == 0 || length < (w.close-w.open)/2 {
			return 0, false
		}
		perSecond += float64(b[i].bytes-a[i].bytes) / float64(length) * 1e9
		freed += a[i].waiting - b[i].waiting
		mean += float64(length) / float64(len(a))
	}
	// What waited behind a hole at the beginning and not at the end came before the window.
	return perSecond - float64(max(0, freed))/mean*1e9, true
}
