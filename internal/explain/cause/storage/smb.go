package storage

import (
	"fmt"
	"regexp"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// fullCore is the share of a core from which on a core, or a thread of SMB, has no time left.
const fullCore = 0.9

var (
	// smbEncryption is the cause where the encryption of SMB fills one core.
	smbEncryption = Cause{ID: "smb-encryption", Title: "SMB that encrypts, on one core", Plain: fullCoreOfSMB,
		Test: func(c *Case) *judge.Match { return c.onOneCore("encrypted") }}
	// smbSigning is the cause where the signing of SMB fills one core.
	smbSigning = Cause{ID: "smb-signing", Title: "SMB that signs, on one core", Plain: fullCoreOfSMB,
		Test: func(c *Case) *judge.Match { return c.onOneCore("signed") }}
	// smbSingleChannel is the cause where one plain connection fills one core.
	smbSingleChannel = Cause{ID: "smb-single-channel", Title: "one connection of SMB, on one core",
		Plain: "Everything that goes to this share goes over one connection, which one part of a CPU works for, and " +
			"that is full while the others have time.",
		Test: func(c *Case) *judge.Match { return c.onOneCore("") }}
)

// fullCoreOfSMB is the meaning of a core that signing or encryption fills.
const fullCoreOfSMB = "Everything that goes to this share is signed or encrypted, by one part of a CPU, which " +
	"is full while " +
	"the others have time."

// smbWork matches the threads and processes of SMB: of Linux's client, of Samba and of ksmbd.
var smbWork = regexp.MustCompile(`^(cifsd|cifsiod|smbd|ksmbd|kworker)`)

// onOneCore returns the match for the measured share, if it is signed, encrypted, or neither and has one connection,
// and a core of either host is full while others are not.
func (c *Case) onOneCore(how string) *judge.Match {
	for _, w := range c.b.Workers {
		share := c.share1(w)
		if share == nil || share.how != how || how == "" && share.channels != 1 {
			continue
		}
		is := map[string]string{"encrypted": "is encrypted", "signed": "is signed", "": "goes over one connection"}[how]
		fix := map[string]string{
			"encrypted": "on a network of its own: mount without seal (Linux), Set-SmbServerConfiguration -EncryptData " +
				"$false (Windows); else several connections (multichannel), each has a core of its own",
			"signed": "on a network of its own: mount without sign or sec=..i (Linux), RequireSecuritySignature $false at " +
				"both ends (Windows); else several connections (multichannel), each has a core of its own",
			"": "several connections: mount -o multichannel,max_channels=4 (Linux), RSS or RDMA at both ends (Windows)"}[how]
		m := &judge.Match{Strength: judge.Candidate, Component: "SMB between " + w.Host + " and " + share.server, Fix: fix,
			Undo:     "the option or setting back as it was",
			Sentence: fmt.Sprintf("what goes to %s %s, and whether that takes all of a core is not known", share.server, is),
			Evidence: []record.Evidence{{Host: w.Host, Source: share.proof.Source, Counter: "share", Text: share.proof.Line}}}
		if host, name, used, of := c.fullThread(); host != "" {
			m.Strength, m.Component = judge.Likely, m.Component+": one core of "+host
			m.Sentence = fmt.Sprintf("%s is held back by SMB on one core of %s. What goes to %s %s, and %s had %s of a "+
				"core while others of the %s had time left.", c.what, host, share.server, is, name, unit.Percent(used),
				unit.Counted(of, "core"))
			m.Add(judge.Reading(host, "/proc/PID/task/TID/stat", name, used, "cores", "%s had %s of a core", name,
				unit.Percent(used)))
		}
		return m
	}
	return nil
}

// fullThread returns a thread or process of SMB that has no time left, on a host that has; host is empty if there is
// none.
func (c *Case) fullThread() (host, name string, used float64, of int) {
	if len(c.e.Repeats) == 0 {
		return
	}
	for _, row := range c.e.Repeats[len(c.e.Repeats)-1].CPU {
		if row.Core >= 0 {
			continue
		}
		h := c.host(row.Host) // on one machine with several hosts, the owner of a thread is not known
		if h == nil || h.Cores == nil || h.Of < 2 || *h.Cores >= fullShare*float64(h.Of) {
			continue
		}
		for _, t := range row.Threads {
			if v := t.User + t.System; smbWork.MatchString(t.Name) && t.Count <= 1 && v >= fullCore && v < 1.1 && v > used {
				host, name, used, of = row.Host, t.Name, v, h.Of
			}
		}
	}
	return
}

// smbShare is the share behind a worker's target.
type smbShare struct {
	server, how string
	channels    int // 0: not known
	proof       facts.Proof
}

// share1 finds the share of a worker's target in the facts of its host; nil: the target is not on a share, or it is not
// known.
func (c *Case) share1(w record.BlockWorker) *smbShare {
	shots := c.shots(w.Host)
	for _, f := range []*facts.Facts{shots.Before, shots.After} {
		if f == nil {
			continue
		}
		for _, m := range f.Storage.Mounts {
			if !m.SMB() || w.Source == "" || m.From != w.Source {
				continue
			}
			s := &smbShare{server: m.From, proof: m.Proof}
			if _, sealed := m.Options["seal"]; sealed {
				s.how = "encrypted"
			} else if m.Signed() {
				s.how = "signed"
			}
			s.inEffect(f.Storage.SMB, m)
			return s
		}
		if f.SMB == nil {
			continue
		}
		for _, s := range f.SMB.Connections {
			if !strings.HasPrefix(strings.ToLower(w.Target)+`\`, strings.ToLower(`\\`+s.Server+`\`+s.Share+`\`)) ||
				s.Server == "" {
				continue
			}
			out := &smbShare{server: `\\` + s.Server + `\` + s.Share, proof: s.Proof}
			if s.Encrypted.Or(false) {
				out.how = "encrypted"
			} else if s.Signed.Or(false) {
				out.how = "signed"
			} else if !s.Signed.IsKnown() && f.SMB.Client.RequireSigning.Or(false) { // some releases do not
				out.how, out.proof = "signed", f.SMB.Client.Proofs["signing"]
			}
			for _, ch := range f.SMB.Channels {
				if strings.EqualFold(ch.Server, s.Server) && ch.Selected.Or(false) {
					out.channels++
					if ch.RSS.Or(true) || ch.RDMA.Or(true) {
						out.channels += 3 // it opens several connections, or none over TCP
					}
				}
			}
			return out
		}
	}
	return nil
}

// inEffect sets what the kernel's client reports about the connections of a mount. The mount's options are only what
// the client requested. A server may require more.
func (s *smbShare) inEffect(client *facts.SMBClient, m facts.Mount) {
	if client == nil {
		return
	}
	for _, server := range client.Servers {
		if server.Address != m.Server || !server.Address.IsValid() {
			continue
		}
		s.channels = server.Channels
		if s.how == "" && server.Signed.Or(false) {
			s.how, s.proof = "signed", server.Session
		}
		if s.how != "encrypted" && server.Encrypted.Or(false) {
			s.how, s.proof = "encrypted", server.Session
		}
		for _, t := range server.Shares {
			if name := strings.ReplaceAll(t.Name, `\`, "/"); s.how != "encrypted" && t.Encrypted &&
				(strings.EqualFold(m.From, name) || strings.HasPrefix(strings.ToLower(m.From), strings.ToLower(name)+"/")) {
				s.how, s.proof = "encrypted", t.Proof
			}
		}
	}
}
