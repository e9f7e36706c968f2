package facts

import (
	"net/netip"
	"regexp"
	"strings"

	"linerate/unit"
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
	Proof                   // the line that names it
}

var (
	smbServer  = regexp.MustCompile(`^(\d+)\) (?:ConnectionId: \S+ Hostname: |Name: )(\S+)`)
	smbAddress = regexp.MustCompile(`^\d+\) Address: ([0-9a-fA-F.:]+) `)
	smbCap     = regexp.MustCompile(`^Server capabilities: 0x([0-9a-f]+)`)
	smbDialect = regexp.MustCompile(`\bDialect (0x[0-9a-f]+)`)
	smbExtra   = regexp.MustCompile(`^Channel: \d+ ConnectionId:`)
)

// readCIFS reads /proc/fs/cifs/DebugData, of which releases print more and more: the features of the module, then each server from a line
// "1) ConnectionId: 0x2 Hostname: NAME" (or "1) Name: ADDRESS" in releases before 5) on, with its sessions, shares and further channels.
// Format: fs/smb/client/cifs_debug.c, cifs_debug_data_proc_show. Whether the server offers several channels is bit 3 of its capabilities
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
			s := SMBServer{Name: m[2], Channels: 1, Multi: unit.Unknown[bool]("this release does not print it"), Proof: f.proof(line)}
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
