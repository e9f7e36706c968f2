package parse

import (
	"strconv"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// routerosClasses stores the counters of queues and pauses of a switch's port, of "qos port print stats" and "print
// pfc": tx-queue3-byte, drop-queue1-packet, rx-pause. The output omits queues without traffic, so in one that has the
// port's counters a missing queue has 0. Pauses cover all classes of the port. Snapshots: the manual's.
func routerosClasses(f *parse.Builder, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	_, whole := row.count("tx-packet")
	for class := range 8 {
		for _, c := range []struct {
			key  string
			what facts.ClassCounted
		}{{"tx-queue" + strconv.Itoa(class) + "-byte", facts.ClassBytesSent},
			{"drop-queue" + strconv.Itoa(class) + "-packet", facts.ClassSendDrops}} {
			if v, ok := row.count(c.key); ok {
				f.ClassCounted(c.what, name, class, v, row.from(c.key))
			} else if whole {
				f.ClassCounted(c.what, name, class, 0, row.from("tx-packet"))
			}
		}
	}
	for _, c := range []struct {
		key  string
		what facts.ClassCounted
	}{{"rx-pause", facts.ClassPauseReceived}, {"tx-pause", facts.ClassPauseSent}, {"pfc-tx", facts.ClassPauseSent}} {
		if v, ok := row.count(c.key); ok {
			f.ClassCounted(c.what, name, facts.AllClasses, v, row.from(c.key))
		}
	}
}
