package filecopy

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/agent/copies"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// labSubstitute is the transport that replaces one that a lab's hosts cannot have.
func labSubstitute(transport string) (over, instead string) {
	switch transport {
	case overSMB, overNFS, overHTTP:
		return transport, ""
	case "smb-direct":
		return overSMB, "smb-direct, which needs RDMA"
	case "":
		return overHTTP, ""
	}
	return overHTTP, transport
}

// choose finds the ends, the transport and the host that copies, or returns why it cannot.
func (b *copying) choose(p *plan.Plan, e *fabric.Experiment, x *record.Experiment, transport string,
	o experiment.Options) string {
	if len(e.From) != 1 || len(e.To) != 1 {
		return "it needs one place from which and one to which is copied; write from: HOST.DRIVE and to: HOST.DRIVE"
	}
	x.From, x.To = e.From[0], e.To[0]
	if e.Grouped() {
		return "copy among several hosts at once is not part of this version; a list, from: [n1.a, n2.a], measures one " +
			"after another"
	}
	for i, name := range []string{e.From[0], e.To[0]} {
		b.ends[i].host, b.drives[i] = experiment.HostOf(name), experiment.DriveOf(p, name)
		if p.Host(b.ends[i].host) == nil {
			return fmt.Sprintf("%s is not a drive of a host; write HOST.DRIVE", name)
		}
		x.Ends = append(x.Ends, record.End{Host: b.ends[i].host})
		if o.Lab {
			b.ends[i].path = agent.TemporaryFolder // the file's folder is on other hosts
		} else if b.drives[i] != nil {
			b.ends[i].path = b.drives[i].Path
		}
	}
	pathless := func(i int) string {
		return fmt.Sprintf("%s has no path: what of it may be used is not known; write path: FOLDER under drives",
			[]string{e.From[0], e.To[0]}[i])
	}
	if b.ends[0].host == b.ends[1].host {
		b.over, b.client = overPath, b.ends[0].host
		for i := range b.ends {
			if b.ends[i].path == "" {
				return pathless(i)
			}
		}
		return ""
	}
	if transport == "local" {
		return fmt.Sprintf("transport: local stays on one host, and it goes from %s to %s", b.ends[0].host, b.ends[1].host)
	}
	path, why := experiment.PathBetween(p, b.ends[0].host, b.ends[1].host, e.Via)
	if why == "" {
		b.path, b.locals = &path, map[string]netip.Addr{path.From: path.FromPort.Address.Addr(),
			path.To: path.ToPort.Address.Addr()}
		x.Ends = experiment.EndsOf(path)
		for _, l := range path.Links {
			x.Links = append(x.Links, l.Name)
		}
	}
	if !o.Lab {
		for i, d := range b.drives {
			if here := b.ends[1-i].host; d != nil && d.Mounts[here] != "" { // the other host mounts it
				if b.ends[1-i].path == "" {
					return pathless(1 - i)
				}
				b.over, b.client, b.stores = overPath, here, []string{b.ends[i].host}
				b.ends[i] = place{here, d.Mounts[here]}
				return ""
			}
		}
	}
	for i := range b.ends {
		if b.ends[i].path == "" {
			return pathless(i)
		}
	}
	b.served = servedEnd(b.drives, transport)
	if asks, there := p.Host(b.ends[1-b.served].host).Connection, p.Host(b.ends[b.served].host).Connection; why != "" &&
		!(transport == overSSH && asks == "local" && strings.HasPrefix(there, "ssh ")) {
		return why // ssh of this machine knows the host
	}
	b.over = transport
	d := b.drives[b.served]
	if o.Lab {
		b.over, b.instead = labSubstitute(transport)
	} else if b.over == "" && d != nil {
		b.over = cmp.Or(d.Export, onlyShare(d))
	}
	switch {
	case !o.Lab && ownShare(d, b.over):
		return b.useShare(d)
	case b.over == overSSH,
		b.over == overHTTP,
		(b.over == overSMB || b.over == overNFS) && (o.Lab || d != nil && d.Export == b.over):
	default:
		other := b.ends[1-b.served].host
		name := []string{e.From[0], e.To[0]}[b.served]
		return fmt.Sprintf(
			"how %s gets at %s over %s is not known; mount it there and write mounts: {%s: PATH} under drives, or export: "+
				"smb, nfs or http, with which linerate gives it out itself, or transport: ssh",
			other,
			name,
			cmp.Or(transport, "the network"),
			other,
		)
	}
	b.client, b.at = b.ends[1-b.served].host, b.locals[b.ends[b.served].host]
	return ""
}

// ownShare reports whether the user's own server shares a drive over a protocol with a copy tool. An export is
// linerate's own.
func ownShare(d *fabric.Drive, over string) bool {
	return d != nil && d.Export != over && strings.Contains(d.Shares[over], "/") && slices.Contains(ownKinds(), over)
}

// ownKinds are the share protocols with a copy tool.
func ownKinds() []string {
	_, over := copies.Tools()
	return slices.DeleteFunc(fabric.ShareKinds(), func(k string) bool {
		for _, kinds := range over {
			if slices.Contains(kinds, k) {
				return false
			}
		}
		return true
	})
}

// onlyShare is the protocol of a drive whose shares all have the same protocol, if it has a copy tool.
func onlyShare(d *fabric.Drive) (kind string) {
	for _, k := range ownKinds() {
		if ownShare(d, k) {
			if kind != "" {
				return ""
			}
			kind = k
		}
	}
	return kind
}

// useShare uses the share of the user's own server; else it returns why not.
func (b *copying) useShare(d *fabric.Drive) string {
	share, err := fabric.ParseShare(b.over, d.Shares[b.over])
	if err != nil {
		return fmt.Sprintf("shares of %s: %s: %v", d.Name, b.over, err)
	}
	b.share = &share
	b.login, _ = strings.CutPrefix(d.Login, "env:")
	b.client, b.at = b.ends[1-b.served].host, b.locals[b.ends[b.served].host]
	return ""
}

// servedEnd is the end that the other host copies from or to: the one that a file says is exported; else over ssh the
// target, and otherwise the source.
func servedEnd(drives [2]*fabric.Drive, transport string) int {
	for i, d := range drives {
		switch {
		case d == nil:
		case transport == "" && (d.Export != "" || len(d.Shares) > 0),
			transport != "" && d.Export == transport,
			d.Shares[transport] != "":
			return i
		}
	}
	if transport == overSSH {
		return 1
	}
	return 0
}
