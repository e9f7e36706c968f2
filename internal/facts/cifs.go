package facts

import (
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// SMBClient is the kernel's SMB client.
type SMBClient struct {
	Features      []string // built in: "DFS", "SMB_DIRECT"; nil: not known
	FeaturesProof Proof
	Servers       []SMBServer
}

// SMBServer is a server that it is connected to.
type SMBServer struct {
	Name     string
	Address  netip.Addr     // invalid: not known
	Dialect  string         // "0x311"; empty: not known
	Channels int            // connections; 1 if the output lists no more
	Multi    unit.Opt[bool] // the server offers more channels (SMB2_GLOBAL_CAP_MULTI_CHANNEL)
	RDMA     bool           // over SMB Direct
	// Signed and Encrypted say what holds for all that goes to it, whoever asked for that: the mount's options have what the client asked for alone. Several sessions: if one of them is.
	Signed, Encrypted unit.Opt[bool]
	Session           Proof // the line that says so
	Shares            []SMBTree
	Proof             // the line that names it
}

// SMBTree is a share that the kernel's client is connected to.
type SMBTree struct {
	Name      string // \\HOST\SHARE
	Encrypted bool   // by itself, or with its session
	Proof
}

var (
	smbServer  = lazyregexp.New(`^(\d+)\) (?:ConnectionId: \S+ Hostname: |Name: )(\S+)`)
	smbAddress = lazyregexp.New(`^\d+\) Address: ([0-9a-fA-F.:]+) `)
	smbCap     = lazyregexp.New(`^Server capabilities: 0x([0-9a-f]+)`)
	smbDialect = lazyregexp.New(`\bDialect (0x[0-9a-f]+)`)
	smbExtra   = lazyregexp.New(`^Channel: \d+ ConnectionId:`)
	smbSession = lazyregexp.New(`^Security type: .*SessionId: 0x[0-9a-f]+(.*)`)
	smbTree    = lazyregexp.New(`^\d+\) (\\\\.+?) Mounts: `)
)

// readCIFS reads /proc/fs/cifs/DebugData, of which releases print more and more: the features of the module, then each server from a line
// "1) ConnectionId: 0x2 Hostname: NAME" (or "1) Name: ADDRESS" in releases before 5) on, with its sessions, shares and further channels.
// Format: fs/smb/client/cifs_debug.c, cifs_debug_data_proc_show. A session says "encrypted" and "signed" behind its SessionId, a share "Encrypted" in the line behind its name. Whether the server offers several channels is bit 3 of its capabilities
// ([MS-SMB2] 2.2.4).
func readCIFS(f *Facts, _ []string, text []byte) error {
	c := &SMBClient{}
	for line := range strings.Lines(string(text)) {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
		line = strings.TrimSpace(line)
		if list, ok := strings.CutPrefix(line, "Features:"); ok && c.Features == nil {
			c.Features = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
			c.FeaturesProof = f.proof(line)
			continue
		}
		if m := smbServer.FindStringSubmatch(line); m != nil && !indented && len(c.Servers) < maxFunctions {
			s := SMBServer{Name: m[2], Channels: 1, Multi: unit.Unknown[bool]("this release does not print it"),
				Signed: unit.Unknown[bool]("this release does not print it"), Encrypted: unit.Unknown[bool]("this release does not print it"), Proof: f.proof(line)}
			s.Address, _ = netip.ParseAddr(m[2])
			c.Servers = append(c.Servers, s)
		}
		if len(c.Servers) == 0 {
			continue
		}
		s := &c.Servers[len(c.Servers)-1]
		if m := smbAddress.FindStringSubmatch(line); m != nil && !s.Address.IsValid() {
			s.Address, _ = netip.ParseAddr(m[1])
		}
		if m := smbCap.FindStringSubmatch(line); m != nil {
			digit := m[1][len(m[1])-1]
			s.Multi = known(strings.IndexByte("89abcdef", digit) >= 0)
		}
		if m := smbDialect.FindStringSubmatch(line); m != nil && s.Dialect == "" {
			s.Dialect = m[1]
		}
		if m := smbSession.FindStringSubmatch(line); m != nil {
			words := strings.Fields(m[1])
			signed := slices.Contains(words, "signed")
			sealed := slices.ContainsFunc(words, func(w string) bool { return w == "encrypted" || strings.HasPrefix(w, "encrypted(") })
			if signed || sealed || !s.Signed.IsKnown() {
				s.Session = f.proof(line)
			}
			s.Signed, s.Encrypted = known(signed || s.Signed.Or(false)), known(sealed || s.Encrypted.Or(false))
		}
		if m := smbTree.FindStringSubmatch(line); m != nil && len(s.Shares) < maxFunctions {
			s.Shares = append(s.Shares, SMBTree{Name: m[1], Proof: f.proof(line)})
		}
		if n := len(s.Shares); n > 0 && strings.HasPrefix(line, "PathComponentMax:") && slices.Contains(strings.Fields(line), "Encrypted") {
			s.Shares[n-1].Encrypted, s.Shares[n-1].Proof = true, f.proof(s.Shares[n-1].Name+": "+line)
		}
		if smbExtra.MatchString(line) {
			s.Channels++
		}
		if strings.HasPrefix(line, "RDMA") || strings.Contains(line, "SMBDirect") {
			s.RDMA = true
		}
	}
	if c.Features == nil && strings.HasPrefix(strings.TrimSpace(string(text)), "DFS ") {
		return nil // the lines of DFS alone, which name no connection
	}
	if c.Features == nil && len(c.Servers) == 0 {
		return toolError(text)
	}
	f.Storage.SMB = c
	return nil
}
