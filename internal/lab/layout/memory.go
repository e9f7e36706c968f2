package layout

import (
	"fmt"

	"linerate/internal/base/unit"
)

// GuestMemory returns the memory that a guest takes on this machine, with QEMU's own.
func GuestMemory(memory int64) int64 { return memory + memory/8 }

// MakeNamespace turns a guest into a namespace.
func (n *Node) MakeNamespace() { n.Guest, n.System, n.RDMA, n.Because = false, "", nil, "" }

// FitMemory turns guests that are needed only for experiments into namespaces, if this machine has no memory left for
// them after the others. The notes give the reason for each. memory is that of each guest, in bytes; available is that
// of this machine, 0: not known.
func (l *Layout) FitMemory(memory, available int64) (notes []Note) {
	need := GuestMemory(memory)
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
			notes = append(notes, Note{
				"host",
				n.Name,
				fmt.Sprintf("a namespace, though %s, because a guest takes %v and this machine has too little memory left",
					n.Because, unit.Bytes(need)),
			})
			n.MakeNamespace()
			continue
		}
		left -= need
		notes = append(notes, Note{"host", n.Name, "a guest, because " + n.Because})
	}
	return notes
}
