package facts

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// takeChannel reads Get-SmbMultichannelConnection. Without -IncludeNotSelected it lists the pairs that are in use, alone.
func takeChannel(f *Facts, o *psObject) {
	c := SMBChannel{
		Server: o.text("ServerName"), Client: address(o.text("ClientIP", "ClientIpAddress")), Remote: address(o.text("ServerIP", "ServerIpAddress")),
		Selected: o.flag("Selected"), RSS: o.flag("ClientRSSCapable"), RDMA: o.flag("ClientRdmaCapable"), RemoteRSS: o.flag("ServerRSSCapable"), RemoteRDMA: o.flag("ServerRdmaCapable"),
		RDMAConnected: o.number("RdmaConnectionCount"), TCPConnected: o.number("TcpConnectionCount"), Failed: o.flag("Failed"),
		Proof: f.proof(o.line("Selected", "ClientRdmaCapable")),
	}
	if o.prop("Selected") == nil {
		c.Selected = known(true)
	}
	s := f.smb()
	s.Channels = append(s.Channels, c)
}

func address(s string) netip.Addr {
	a, _ := netip.ParseAddr(s)
	return a
}

// takeSMBInterface reads Get-SmbServerNetworkInterface and Get-SmbClientNetworkInterface.
func takeSMBInterface(f *Facts, o *psObject) {
	index, ok := o.number("InterfaceIndex").Get()
	if !ok || index >= 1<<31 {
		return
	}
	i := SMBInterface{Name: o.text("FriendlyName"), Index: int(index), RSS: o.flag("RssCapable"), RDMA: o.flag("RdmaCapable"), Speed: o.speed("Speed", "LinkSpeed"), Proof: f.proof(o.line("RdmaCapable"))}
	for _, a := range o.list("IpAddresses", "IpAddress") {
		if a := address(a); a.IsValid() {
			i.Addresses = append(i.Addresses, a)
		}
	}
	side := &f.smb().Client
	if o.prop("ScopeName") != nil {
		side = &f.smb().Server
	}
	side.Interfaces = append(side.Interfaces, i)
}

// takeConnection reads Get-SmbConnection.
func takeConnection(f *Facts, o *psObject) {
	s := f.smb()
	s.Connections = append(s.Connections, SMBConnection{Server: o.text("ServerName"), Share: o.text("ShareName"), Dialect: o.text("Dialect"),
		Encrypted: o.flag("Encrypted"), Signed: o.flag("Signed"), Proof: f.proof(o.line("Dialect"))})
}

func takeSMBServer(f *Facts, o *psObject) {
	f.side(&f.smb().Server, o, "EncryptData")
}

func takeSMBClient(f *Facts, o *psObject) {
	f.side(&f.smb().Client, o, "RequireEncryption")
}

// side reads what Get-SmbServerConfiguration and Get-SmbClientConfiguration share.
// Properties: MSFT_SmbServerConfiguration and MSFT_SmbClientConfiguration; no real output is behind it.
func (f *Facts) side(s *SMBSide, o *psObject, encryption string) {
	for _, p := range []struct {
		to           *unit.Opt[bool]
		aspect, name string
	}{{&s.Multichannel, "multichannel", "EnableMultiChannel"}, {&s.RequireSigning, "signing", "RequireSecuritySignature"}, {&s.Encrypt, "encryption", encryption}} {
		if o.prop(p.name) != nil {
			*p.to = o.flag(p.name)
			s.proves(p.aspect, f.proof(o.line(p.name)))
		}
	}
	for _, p := range []struct {
		to   *unit.Opt[string]
		name string
	}{{&s.MinDialect, "Smb2DialectMin"}, {&s.MaxDialect, "Smb2DialectMax"}} {
		if d := o.text(p.name); strings.HasPrefix(d, "SMB") {
			*p.to = known(dialect(d))
			s.proves("dialect", f.proof(o.line(p.name)))
		}
	}
}

// dialect is "SMB311" or 785 (0x311) as "3.1.1".
func dialect(s string) string {
	digits := strings.TrimPrefix(s, "SMB")
	if n, err := strconv.ParseUint(s, 0, 16); err == nil {
		digits = fmt.Sprintf("%x", n)
	}
	return strings.TrimSuffix(strings.Join(strings.Split(digits, ""), "."), ".0")
}

// takeDialects reads the client's limits of dialects from the registry (LanmanWorkstation\Parameters); none is no limit.
// No real output is behind it.
func takeDialects(f *Facts, o *psObject) {
	s := &f.smb().Client
	for _, p := range []struct {
		to   *unit.Opt[string]
		name string
	}{{&s.MinDialect, "MinSMB2Dialect"}, {&s.MaxDialect, "MaxSMB2Dialect"}} {
		if n, ok := o.number(p.name).Get(); ok && n > 0 {
			*p.to = known(dialect(strconv.FormatInt(n, 10)))
			s.proves("dialect", f.proof(o.line(p.name)))
		}
	}
}

// takeFeature reads Get-WindowsOptionalFeature -FeatureName SMBDirect.
// No real output is behind it.
func takeFeature(f *Facts, o *psObject) {
	if state := o.text("State"); strings.EqualFold(o.text("FeatureName"), "SmbDirect") && state != "" {
		f.smb().Direct = known(state)
		f.smb().Client.proves("direct", f.proof(o.line("State")))
	}
}
