package storage

import (
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	smbServer  = lazyregexp.New(`^(\d+)\) (?:ConnectionId: \S+ Hostname: |Name: )(\S+)`)
	smbAddress = lazyregexp.New(`^\d+\) Address: ([0-9a-fA-F.:]+) `)
	smbCap     = lazyregexp.New(`^Server capabilities: 0x([0-9a-f]+)`)
	smbDialect = lazyregexp.New(`\bDialect (0x[0-9a-f]+)`)
	smbExtra   = lazyregexp.New(`^Channel: \d+ ConnectionId:`)
	smbSession = lazyregexp.New(`^Security type: .*SessionId: 0x[0-9a-f]+(.*)`)
	smbTree    = lazyregexp.New(`^\d+\) (\\\\.+?) Mounts: `)
)

// readCIFS reads /proc/fs/cifs/DebugData, which grows with each release: the features of the module, then each server
// from a line "1) ConnectionId: 0x2 Hostname: NAME" (or "1) Name: ADDRESS" in releases before 5) on, with its sessions,
// shares and further channels. Format: fs/smb/client/cifs_debug.c, cifs_debug_data_proc_show. A session has "encrypted"
// and "signed" after its SessionId, a share "Encrypted" on the line after its name. Bit 3 of the server's capabilities
// is multichannel ([MS-SMB2] 2.2.4).
func readCIFS(f *parse.Builder, _ []string, text []byte) error {
	c := &facts.SMBClient{}
	for line := range strings.Lines(string(text)) {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
		line = strings.TrimSpace(line)
		if list, ok := strings.CutPrefix(line, "Features:"); ok && c.Features == nil {
			c.Features = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
			c.FeaturesProof = f.Proof(line)
			continue
		}
		if m := smbServer.FindStringSubmatch(line); m != nil && !indented && len(c.Servers) < parse.MaxFunctions {
			s := facts.SMBServer{Name: m[2], Channels: 1, Multi: unit.Unknown[bool]("this release does not print it"),
				Signed:    unit.Unknown[bool]("this release does not print it"),
				Encrypted: unit.Unknown[bool]("this release does not print it"), Proof: f.Proof(line)}
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
			s.Multi = unit.Known(strings.IndexByte("89abcdef", digit) >= 0)
		}
		if m := smbDialect.FindStringSubmatch(line); m != nil && s.Dialect == "" {
			s.Dialect = m[1]
		}
		if m := smbSession.FindStringSubmatch(line); m != nil {
			words := strings.Fields(m[1])
			signed := slices.Contains(words, "signed")
			sealed := slices.ContainsFunc(words, func(w string) bool {
				return w == "encrypted" ||
					strings.HasPrefix(w, "encrypted(")
			})
			if signed || sealed || !s.Signed.IsKnown() {
				s.Session = f.Proof(line)
			}
			s.Signed, s.Encrypted = unit.Known(signed || s.Signed.Or(false)), unit.Known(sealed || s.Encrypted.Or(false))
		}
		if m := smbTree.FindStringSubmatch(line); m != nil && len(s.Shares) < parse.MaxFunctions {
			s.Shares = append(s.Shares, facts.SMBTree{Name: m[1], Proof: f.Proof(line)})
		}
		if n := len(s.Shares); n > 0 && strings.HasPrefix(line, "PathComponentMax:") &&
			slices.Contains(strings.Fields(line), "Encrypted") {
			s.Shares[n-1].Encrypted, s.Shares[n-1].Proof = true, f.Proof(s.Shares[n-1].Name+": "+line)
		}
		if smbExtra.MatchString(line) {
			s.Channels++
		}
		if strings.HasPrefix(line, "RDMA") || strings.Contains(line, "SMBDirect") {
			s.RDMA = true
		}
	}
	if c.Features == nil && strings.HasPrefix(strings.TrimSpace(string(text)), "DFS ") {
		return nil // only the lines of DFS, which name no connection
	}
	if c.Features == nil && len(c.Servers) == 0 {
		return parse.ToolError(text)
	}
	f.Storage.SMB = c
	return nil
}
