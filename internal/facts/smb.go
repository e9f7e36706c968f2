package facts

import (
	"net/netip"

	"linerate/internal/base/unit"
)

// SMB is a machine's file sharing. A nil list is unknown; an empty one means that the output was complete and had none.
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

// SMBInterface is an address that SMB may use, in the client's or server's view.
type SMBInterface struct {
	Name      string // empty: not printed
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
	RDMAConnected  unit.Opt[int64] // open connections over RDMA
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

func (s *SMBSide) Proves(aspect string, p Proof) {
	if s.Proofs == nil {
		s.Proofs = map[string]Proof{}
	}
	if _, ok := s.Proofs[aspect]; !ok {
		s.Proofs[aspect] = p
	}
}

// SMBClient is the kernel's SMB client.
type SMBClient struct {
	Features      []string // built in: "DFS", "SMB_DIRECT"; nil: unknown
	FeaturesProof Proof
	Servers       []SMBServer
}

// SMBServer is a server with a connection.
type SMBServer struct {
	Name     string
	Address  netip.Addr     // invalid: unknown
	Dialect  string         // "0x311"; empty: unknown
	Channels int            // connections; 1 if the output lists no others
	Multi    unit.Opt[bool] // the server offers more channels (SMB2_GLOBAL_CAP_MULTI_CHANNEL)
	RDMA     bool           // over SMB Direct
	// Signed and Encrypted hold for everything that is sent to the server, whichever side required it; the mount's options
	// only have the client's requirements. Of several sessions: if one of them is.
	Signed, Encrypted unit.Opt[bool]
	Session           Proof // the line that proves it
	Shares            []SMBTree
	Proof             // the line with its name
}

// SMBTree is a share that the kernel's client has mounted.
type SMBTree struct {
	Name      string // \\HOST\SHARE
	Encrypted bool   // by itself, or with its session
	Proof
}
