package facts

import (
	"net/netip"

	"linerate/internal/base/unit"
)

// SMB is a machine's file sharing. A nil list is unknown; an empty one means that the output was complete and had none.
type SMB struct {
	Client      SMBSide         `json:"client"`
	Server      SMBSide         `json:"server"`
	Channels    []SMBChannel    `json:"channels"`
	Connections []SMBConnection `json:"connections"`
	// Direct is the state of the feature SMB Direct of a desktop edition: Enabled, Disabled.
	Direct unit.Opt[string] `json:"direct"`
}

// SMBSide is the settings of the client or of the server.
type SMBSide struct {
	Multichannel   unit.Opt[bool] `json:"multichannel"`
	RequireSigning unit.Opt[bool] `json:"require_signing"`
	// every share (EncryptData), or required by the client (RequireEncryption)
	Encrypt    unit.Opt[bool]   `json:"encrypt"`
	MinDialect unit.Opt[string] `json:"min_dialect"`
	MaxDialect unit.Opt[string] `json:"max_dialect"`
	Interfaces []SMBInterface   `json:"interfaces"`
	Proofs     map[string]Proof `json:"proofs"` // by aspect: "multichannel", "signing", "encryption", "dialect"
}

// SMBInterface is an address that SMB may use, in the client's or server's view.
type SMBInterface struct {
	Name      string                 `json:"name"` // empty: not printed
	Index     int                    `json:"index"`
	RSS       unit.Opt[bool]         `json:"rss"`
	RDMA      unit.Opt[bool]         `json:"rdma"`
	Speed     unit.Opt[unit.BitRate] `json:"speed"`
	Addresses []netip.Addr           `json:"addresses"`
	Proof
}

// SMBChannel is a pair of addresses between the client and a server, which it may use or not.
type SMBChannel struct {
	Server        string          `json:"server"`
	Client        netip.Addr      `json:"client"`
	Remote        netip.Addr      `json:"remote"`
	Selected      unit.Opt[bool]  `json:"selected"`
	RSS           unit.Opt[bool]  `json:"rss"`
	RDMA          unit.Opt[bool]  `json:"rdma"`       // of the client's interface
	RemoteRSS     unit.Opt[bool]  `json:"remote_rss"` // of the server's
	RemoteRDMA    unit.Opt[bool]  `json:"remote_rdma"`
	RDMAConnected unit.Opt[int64] `json:"rdma_connected"` // open connections over RDMA
	TCPConnected  unit.Opt[int64] `json:"tcp_connected"`
	Failed        unit.Opt[bool]  `json:"failed"`
	Proof
}

// SMBConnection is a share that the client has open.
type SMBConnection struct {
	Server    string         `json:"server"`
	Share     string         `json:"share"`
	Dialect   string         `json:"dialect"`
	Encrypted unit.Opt[bool] `json:"encrypted"`
	Signed    unit.Opt[bool] `json:"signed"`
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
	Features      []string    `json:"features"` // built in: "DFS", "SMB_DIRECT"; nil: unknown
	FeaturesProof Proof       `json:"features_proof"`
	Servers       []SMBServer `json:"servers"`
}

// SMBServer is a server with a connection.
type SMBServer struct {
	Name     string         `json:"name"`
	Address  netip.Addr     `json:"address"`  // invalid: unknown
	Dialect  string         `json:"dialect"`  // "0x311"; empty: unknown
	Channels int            `json:"channels"` // connections; 1 if the output lists no others
	Multi    unit.Opt[bool] `json:"multi"`    // the server offers more channels (SMB2_GLOBAL_CAP_MULTI_CHANNEL)
	RDMA     bool           `json:"rdma"`     // over SMB Direct
	// Signed and Encrypted hold for everything that is sent to the server, whichever side required it; the mount's options
	// only have the client's requirements. Of several sessions: if one of them is.
	Signed    unit.Opt[bool] `json:"signed"`
	Encrypted unit.Opt[bool] `json:"encrypted"`
	Session   Proof          `json:"session"` // the line that proves it
	Shares    []SMBTree      `json:"shares"`
	Proof                    // the line with its name
}

// SMBTree is a share that the kernel's client has mounted.
type SMBTree struct {
	Name      string `json:"name"`      // \\HOST\SHARE
	Encrypted bool   `json:"encrypted"` // by itself, or with its session
	Proof
}
