package layout

import (
	"fmt"
	"slices"
	"strings"
)

// iWARP is a transport that needs a module which Debian's kernel does not have.
const (
	iWARP       = "iwarp"
	iWARPModule = "siw" // as guest.BuildModules calls it
	infiniBand  = "ib"
)

// SMBDirectModules is the set of modules in which SMB Direct is, its name in guest.BuildModules.
const SMBDirectModules = "smbdirect"

// WithoutModules records which sets of modules a guest is missing because the cache does not have them. command returns
// the command that builds a set. SMB Direct needs nothing else: the kernel uses the cifs and ksmbd of the set.
func (n *Node) WithoutModules(has func(set string) bool, command func(set ...string) string,
	smbDirect bool) (notes []Note) {
	if n.System != "" { // their image does not support further modules
		has = func(string) bool { return false }
	}
	if !has(iWARPModule) {
		notes = append(n.withoutSecondKind(command), n.withoutIWARP(command)...)
	}
	if smbDirect && !has(SMBDirectModules) {
		n.Missing = append(n.Missing, SMBDirectModules)
		notes = append(notes, Note{
			"host",
			n.Name,
			fmt.Sprintf("there is no SMB Direct: Debian's kernel leaves it out of cifs and ksmbd; build it with: %s",
				command(SMBDirectModules)),
		})
	}
	return notes
}

// withoutIWARP removes the interfaces that need a missing module from a guest's RDMA. Soft RoCE instead of iWARP would
// be another transport under its name.
func (n *Node) withoutIWARP(command func(set ...string) string) (notes []Note) {
	var without []string
	n.RDMA = slices.DeleteFunc(n.RDMA, func(p RDMAPort) bool {
		if p.Transport == iWARP {
			without = append(without, p.Interface)
		}
		return p.Transport == iWARP
	})
	if len(without) == 0 {
		return nil
	}
	n.Missing = []string{iWARPModule}
	if n.System != "" {
		return []Note{
			{
				"host",
				n.Name,
				fmt.Sprintf(
					"there is no RDMA on %s: iWARP needs the module %s, which guests with an operating system do not have; write "+
						"guest: true", strings.Join(without, ", "), iWARPModule),
			},
		}
	}
	return []Note{
		{
			"host",
			n.Name,
			fmt.Sprintf("there is no RDMA on %s: iWARP needs the module %s, which Debian's kernel leaves out; build it with: %s",
				strings.Join(without, ", "), iWARPModule, command(iWARPModule)),
		},
	}
}

// withoutSecondKind makes all InfiniBand adapters of a guest soft RoCE.
func (n *Node) withoutSecondKind(command func(set ...string) string) (notes []Note) {
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
	return []Note{
		{
			"host",
			n.Name,
			fmt.Sprintf(
				"RDMA on %s is soft RoCE as on its other InfiniBand NIC, so nothing tells the two NICs apart; with soft "+
					"iWARP it is another adapter: %s", strings.Join(without, ", "), command(iWARPModule)),
		},
	}
}
