package lab

import (
	"fmt"

	"linerate/internal/base/unit"
)

// guestMemory is what a guest of so much memory takes of this machine, with QEMU's own.
func guestMemory(memory int64) int64 { return memory + memory/8 }

// namespace makes a host that was to be a guest a namespace.
func (n *node) namespace() { n.Guest, n.System, n.RDMA, n.Because = false, "", nil, "" }

// byThemselves makes those guests namespaces that are guests for their experiments alone and for which this machine has no
// memory left, after the others, and says of all of them why they are what they are. Memory is of each, in bytes; available is
// what this machine has, 0: not known.
func (l *layout) byThemselves(memory, available int64) (notes []noteOf) {
	need := guestMemory(memory)
	left := available
	for _, n := range l.Hosts {
		if n.Guest && n.Because == "" {
			left -= need
		}
	}
	for i := range l.Hosts {
		n := &l.Hosts[i]
		if n.Because == "" {
			continue
		}
		if available > 0 && left < need {
			notes = append(notes, noteOf{"host", n.Name, fmt.Sprintf("a namespace, though %s, because a guest takes %v and this machine has too little memory left", n.Because, unit.Bytes(need))})
			n.namespace()
			continue
		}
		left -= need
		notes = append(notes, noteOf{"host", n.Name, "a guest, because " + n.Because})
	}
	return notes
}
