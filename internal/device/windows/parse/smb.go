package parse

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// takeChannel reads Get-SmbMultichannelConnection. Without -IncludeNotSelected it only lists the pairs in use.
func takeChannel(f *parse.Builder, o *psObject) {
	c := facts.SMBChannel{Server: o.text("ServerName"), Client: address(o.text("ClientIP", "ClientIpAddress")),
		Remote: address(o.text("ServerIP", "ServerIpAddress")), Selected: o.flag("Selected"), RSS: o.flag("ClientRSSCapable"),
		RDMA: o.flag("ClientRdmaCapable"), RemoteRSS: o.flag("ServerRSSCapable"), RemoteRDMA: o.flag("ServerRdmaCapable"),
		RDMAConnected: o.number("RdmaConnectionCount"), TCPConnected: o.number("TcpConnectionCount"),
		Failed: o.flag("Failed"), Proof: f.Proof(o.line("Selected", "ClientRdmaCapable"))}
	if o.prop("Selected") == nil {
		c.Selected = unit.Known(true)
	}
	s := f.SMBState()
	s.Channels = append(s.Channels, c)
}

func address(s string) netip.Addr {
	a, _ := netip.ParseAddr(s)
	return a
}

// takeSMBInterface reads Get-SmbServerNetworkInterface and Get-SmbClientNetworkInterface.
func takeSMBInterface(f *parse.Builder, o *psObject) {
	index, ok := o.number("InterfaceIndex").Get()
	if !ok || index >= 1<<31 {
		return
	}
	i := facts.SMBInterface{Name: o.text("FriendlyName"), Index: int(index), RSS: o.flag("RssCapable"),
		RDMA: o.flag("RdmaCapable"), Speed: o.speed("Speed", "LinkSpeed"), Proof: f.Proof(o.line("RdmaCapable"))}
	for _, a := range o.list("IpAddresses", "IpAddress") {
		if a := address(a); a.IsValid() {
			i.Addresses = append(i.Addresses, a)
		}
	}
	side := &f.SMBState().Client
	if o.prop("ScopeName") != nil {
		side = &f.SMBState().Server
	}
	side.Interfaces = append(side.Interfaces, i)
}

// takeConnection reads Get-SmbConnection.
func takeConnection(f *parse.Builder, o *psObject) {
	s := f.SMBState()
	s.Connections = append(s.Connections, facts.SMBConnection{Server: o.text("ServerName"), Share: o.text("ShareName"),
		Dialect:   o.text("Dialect"),
		Encrypted: o.flag("Encrypted"), Signed: o.flag("Signed"), Proof: f.Proof(o.line("Dialect"))})
}

func takeSMBServer(f *parse.Builder, o *psObject) {
	side(f, &f.SMBState().Server, o, "EncryptData")
}

func takeSMBClient(f *parse.Builder, o *psObject) {
	side(f, &f.SMBState().Client, o, "RequireEncryption")
}

// side reads what Get-SmbServerConfiguration and Get-SmbClientConfiguration share. Properties:
// MSFT_SmbServerConfiguration and MSFT_SmbClientConfiguration; no snapshot exists.
func side(f *parse.Builder, s *facts.SMBSide, o *psObject, encryption string) {
	for _, p := range []struct {
		to           *unit.Opt[bool]
		aspect, name string
	}{{&s.Multichannel, "multichannel", "EnableMultiChannel"},
		{&s.RequireSigning, "signing", "RequireSecuritySignature"}, {&s.Encrypt, "encryption", encryption}} {
		if o.prop(p.name) != nil {
			*p.to = o.flag(p.name)
			s.Proves(p.aspect, f.Proof(o.line(p.name)))
		}
	}
	for _, p := range []struct {
		to   *unit.Opt[string]
		name string
	}{{&s.MinDialect, "Smb2DialectMin"}, {&s.MaxDialect, "Smb2DialectMax"}} {
		if d := o.text(p.name); strings.HasPrefix(d, "SMB") {
			*p.to = unit.Known(Dialect(d))
			s.Proves("dialect", f.Proof(o.line(p.name)))
		}
	}
}

// Dialect returns "3.1.1" for "SMB311" or 785 (0x311).
func Dialect(s string) string {
	digits := strings.TrimPrefix(s, "SMB")
	if n, err := strconv.ParseUint(s, 0, 16); err == nil {
		digits = fmt.Sprintf("%x", n)
	}
	return strings.TrimSuffix(strings.Join(strings.Split(digits, ""), "."), ".0")
}

// takeDialects reads the client's limits of dialects from the registry (LanmanWorkstation\Parameters); a missing one is
// not a limit. No snapshot exists.
func takeDialects(f *parse.Builder, o *psObject) {
	s := &f.SMBState().Client
	for _, p := range []struct {
		to   *unit.Opt[string]
		name string
	}{{&s.MinDialect, "MinSMB2Dialect"}, {&s.MaxDialect, "MaxSMB2Dialect"}} {
		if n, ok := o.number(p.name).Get(); ok && n > 0 {
			*p.to = unit.Known(Dialect(strconv.FormatInt(n, 10)))
			s.Proves("dialect", f.Proof(o.line(p.name)))
		}
	}
}

// takeFeature reads Get-WindowsOptionalFeature -FeatureName SMBDirect. No snapshot exists.
func takeFeature(f *parse.Builder, o *psObject) {
	if state := o.text("State"); strings.EqualFold(o.text("FeatureName"), "SmbDirect") && state != "" {
		f.SMBState().Direct = unit.Known(state)
		f.SMBState().Client.Proves("direct", f.Proof(o.line("State")))
	}
}
