package lab

import (
	"fmt"
	"slices"
	"strings"
)

// iWARP is the transport of a card that needs a module that Debian leaves out.
const (
	iWARP       = "iwarp"
	iWARPModule = "siw" // as guest.BuildModules calls it
	infiniBand  = "ib"
)

// SMBDirectModules is the set of modules in which SMB Direct is, as guest.BuildModules calls it.
const SMBDirectModules = "smbdirect"

// withoutModules says which sets of modules a guest lacks because the cache does. Command is the line that builds a set. With the
// sets there, nothing is to be done for SMB Direct: the kernel takes their cifs and ksmbd.
func (n *node) withoutModules(has func(set string) bool, command func(set ...string) string, smbDirect bool) (notes []noteOf) {
	if n.System != "" { // their image takes no further modules
		has = func(string) bool { return false }
	}
	if !has(iWARPModule) {
		notes = append(n.withoutSecondKind(command), n.withoutIWARP(command)...)
	}
	if smbDirect && !has(SMBDirectModules) {
		n.Lacks = append(n.Lacks, SMBDirectModules)
		notes = append(notes, noteOf{"host", n.Name, fmt.Sprintf("there is no SMB Direct: Debian's kernel leaves it out of cifs and ksmbd; build it with: %s", command(SMBDirectModules))})
	}
	return notes
}

// withoutIWARP takes the interfaces out of a guest's RDMA that have none without a module. Soft RoCE in place of iWARP would be
// another transport under its name.
func (n *node) withoutIWARP(command func(set ...string) string) (notes []noteOf) {
	var without []string
	n.RDMA = slices.DeleteFunc(n.RDMA, func(p rdmaPort) bool {
		if p.Transport == iWARP {
			without = append(without, p.Interface)
		}
		return p.Transport == iWARP
	})
	if len(without) == 0 {
		return nil
	}
	n.Lacks = []string{iWARPModule}
	if n.System != "" {
		return []noteOf{{"host", n.Name, fmt.Sprintf("there is no RDMA on %s: iWARP needs the module %s, which guests with an operating system do not have; write guest: true",
			strings.Join(without, ", "), iWARPModule)}}
	}
	return []noteOf{{"host", n.Name, fmt.Sprintf("there is no RDMA on %s: iWARP needs the module %s, which Debian's kernel leaves out; build it with: %s",
		strings.Join(without, ", "), iWARPModule, command(iWARPModule))}}
}

// withoutSecondKind makes all InfiniBand cards of a guest soft RoCE.
func (n *node) withoutSecondKind(command func(set ...string) string) (notes []noteOf) {
	var without []string
	for i, p := range n.RDMA {
		if p.InPlace {
			without = append(without, p.Interface)
			n.RDMA[i].InPlace = false
		}
	}
	if len(without) == 0 {
		return nil
	}
	return []noteOf{{"host", n.Name, fmt.Sprintf("RDMA on %s is soft RoCE as on its other InfiniBand card, so nothing tells the two cards apart; with soft iWARP it is another adapter: %s", strings.Join(without, ", "), command(iWARPModule))}}
}

// softRDMA is how the kernel does a transport without a card for it.
type softRDMA struct {
	kind    string // of rdma link add, and the beginning of the device's name
	modules []string
	note    string
}

// softRDMAOf chooses it.
func softRDMAOf(p rdmaPort) softRDMA {
	siw := softRDMA{kind: "siw", modules: []string{"siw", "rdma_ucm", "ib_uverbs"}, note: "it is soft iWARP (siw), in the kernel and not in a card"}
	rxe := softRDMA{kind: "rxe", modules: []string{"rdma_rxe", "rdma_ucm", "ib_uverbs"}, note: "it is soft RoCE (rdma_rxe), in the kernel and not in a card"}
	switch {
	case p.Transport == iWARP:
		return siw
	case p.InPlace:
		siw.note = fmt.Sprintf("it is soft iWARP (siw) in place of %s, which no kernel does without a card, so that it is another adapter than the soft RoCE of the first card", p.Transport)
		return siw
	case !strings.HasPrefix(p.Transport, "roce"):
		rxe.note = fmt.Sprintf("it is soft RoCE (rdma_rxe) in place of %s, which no kernel does without a card", p.Transport)
	}
	return rxe
}
