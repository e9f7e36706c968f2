package facts

import (
	"net/netip"

	"linerate/internal/base/unit"
)

// SMB is what a machine says of its file sharing. A nil list is not known; one that is there and empty means that the answer
// was whole and had none.
type SMB struct {
	Client, Server SMBSide
	Channels       []SMBChannel
	Connections    []SMBConnection
	// Direct is the state of the feature SMB Direct of a desktop edition: Enabled, Disabled.
	Direct unit.Opt[string]
}

// SMBSide is the settings of the client or of the server.
type SMBSide struct {
	Multichannel           unit.Opt[bool]
	RequireSigning         unit.Opt[bool]
	Encrypt                unit.Opt[bool] // every share (EncryptData), or required by the client (RequireEncryption)
	MinDialect, MaxDialect unit.Opt[string]
	Interfaces             []SMBInterface
	Proofs                 map[string]Proof // by aspect: "multichannel", "signing", "encryption", "dialect"
}

// SMBInterface is an address that SMB may use, as its side sees it.
type SMBInterface struct {
	Name      string // empty: not in the text
	Index     int
	RSS, RDMA unit.Opt[bool]
	Speed     unit.Opt[unit.BitRate]
	Addresses []netip.Addr
	Proof
}

// SMBChannel is a pair of addresses between the client and a server, which it may use or not.
type SMBChannel struct {
	Server         string
	Client, Remote netip.Addr
	Selected       unit.Opt[bool]
	RSS, RDMA      unit.Opt[bool] // of the client's interface
	RemoteRSS      unit.Opt[bool] // of the server's
	RemoteRDMA     unit.Opt[bool]
	RDMAConnected  unit.Opt[int64] // connections over RDMA that are open
	TCPConnected   unit.Opt[int64]
	Failed         unit.Opt[bool]
	Proof
}

// SMBConnection is a share that the client has open.
type SMBConnection struct {
	Server, Share     string
	Dialect           string
	Encrypted, Signed unit.Opt[bool]
	Proof
}

func (f *Facts) smb() *SMB {
	if f.SMB == nil {
		f.SMB = &SMB{}
	}
	return f.SMB
}

func (s *SMBSide) proves(aspect string, p Proof) {
	if s.Proofs == nil {
		s.Proofs = map[string]Proof{}
	}
	if _, ok := s.Proofs[aspect]; !ok {
		s.Proofs[aspect] = p
	}
}
