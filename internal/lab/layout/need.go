package layout

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// Need is the reason why a host must be a guest for an experiment: a namespace does not have what the experiment needs.
type Need struct {
	Host       string
	Experiment string
	What       string // "RDMA"
}

// needRule is a kind of experiment whose hosts must be guests.
type needRule struct {
	methods   []string
	transport string // empty: any
	what      string
}

// The names of what a namespace does not have. Its kernel is this machine's, which all hosts of the lab share: the lab
// must not load modules into it, sessions and targets are not separate by namespace, and RDMA devices are this
// machine's NICs.
const (
	needRDMA      = "RDMA"
	needSMBDirect = "RDMA and the kernel's SMB"
	needSMB       = "the kernel's SMB"
	needNFS       = "the kernel's NFS"
	needISCSI     = "the kernel's iSCSI"
	needNVMe      = "the kernel's NVMe over TCP"
)

// smbDirect is the transport, and the kind of a share, that needs modules which Debian's kernel does not have.
const smbDirect = "smb-direct"

// needRules returns all experiments that need guests at both ends: the image only has the kernel's servers and clients.
func needRules() []needRule {
	storage := []string{method.Storage} // copies are made by programs: Samba and smbclient, or HTTP
	return []needRule{
		{[]string{method.RDMA, method.Halo}, "", needRDMA}, // halo unless it goes over TCP
		{storage, smbDirect, needSMBDirect},
		{storage, "smb", needSMB},
		{storage, "nfs", needNFS},
		{storage, "iscsi", needISCSI},
		{storage, "nvme-tcp", needNVMe},
	}
}

// Needs returns the experiments of a plan that need guests, with each of their hosts, in the order of the file.
func Needs(p *plan.Plan) (out []Need) {
	if p.Fabric == nil {
		return nil
	}
	listed := map[Need]bool{}
	for _, x := range p.Fabric.Experiments {
		for _, r := range needRules() {
			if !r.fits(p.Fabric, x) || method.Named(x.Method).Exchanges && !p.ExchangesOverRDMA(x) {
				continue
			}
			for _, h := range experimentHosts(p, x) {
				if n := (Need{h, x.Name, r.what}); !listed[n] {
					listed[n] = true
					out = append(out, n)
				}
			}
		}
	}
	return out
}

func (r needRule) fits(f *fabric.Fabric, x *fabric.Experiment) bool {
	return slices.Contains(r.methods, x.Method) && (r.transport == "" || slices.Contains(transports(f, x), r.transport))
}

// transports returns those of an experiment: as written, or else the protocols that export its storage to another host.
func transports(f *fabric.Fabric, x *fabric.Experiment) []string {
	if written := x.Parameter("transport"); len(written) > 0 {
		return written
	}
	var out []string
	ends := slices.Concat(x.From, x.To)
	for _, end := range ends {
		if len(x.From) == 0 || !slices.ContainsFunc(ends,
			func(other string) bool { return !overlap(storageHosts(f, end), storageHosts(f, other)) }) {
			continue // it stays on one host
		}
		out = append(out, exportsOf(f, end)...)
	}
	return out
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// exportsOf returns the protocols that export a drive or a volume.
func exportsOf(f *fabric.Fabric, name string) (out []string) {
	add := func(export string, shares map[string]string) {
		if export != "" {
			out = append(out, export)
		}
		for kind := range shares {
			out = append(out, kind)
		}
	}
	for _, v := range f.Volumes {
		if v.Name == name {
			shares := map[string]string{}
			for k, path := range v.Extra {
				if kind, ok := strings.CutPrefix(k, "shares."); ok {
					shares[kind] = path
				}
			}
			add(v.Extra["export"], shares)
		}
	}
	host, drive, _ := strings.Cut(name, ".")
	for _, h := range f.Hosts {
		for _, d := range h.Drives {
			if h.Name == host && d.Name == drive {
				add(d.Export, d.Shares)
			}
		}
	}
	return out
}

// storageHosts returns the hosts of an end of an experiment: HOST, HOST.NIC, HOST.DRIVE, or those of a volume.
func storageHosts(f *fabric.Fabric, end string) (hosts []string) {
	for _, v := range f.Volumes {
		if v.Name != end {
			continue
		}
		for _, d := range v.Of {
			host, _, _ := strings.Cut(d, ".")
			hosts = append(hosts, host)
		}
		return hosts
	}
	host, _, _ := strings.Cut(end, ".")
	return []string{host}
}

// experimentHosts returns the hosts of an experiment, each once.
func experimentHosts(p *plan.Plan, x *fabric.Experiment) (hosts []string) {
	add := func(h string) {
		if h != "" && !slices.Contains(hosts, h) && p.Host(h) != nil {
			hosts = append(hosts, h)
		}
	}
	if slices.Contains(x.On, "links") {
		for _, l := range p.Links {
			add(l.Ends[0].Host)
			add(l.Ends[1].Host)
		}
		return hosts
	}
	for _, end := range slices.Concat(x.From, x.To, x.On) {
		for _, h := range storageHosts(p.Fabric, end) {
			add(h)
		}
	}
	return hosts
}

// Storage reports whether it is a storage protocol, for which namespaces have a substitute.
func (n Need) Storage() bool { return n.What != needRDMA }

// SMBDirect reports whether the experiment needs SMB over RDMA.
func (n Need) SMBDirect() bool { return n.What == needSMBDirect }

// WantsSMBDirect reports whether a host needs SMB Direct: for an experiment, or for a share of its own.
func WantsSMBDirect(p *plan.Plan, needs []Need, host string) bool {
	if slices.ContainsFunc(needs, func(n Need) bool { return n.Host == host && n.SMBDirect() }) {
		return true
	}
	h := p.Host(host)
	if h == nil || h.Decl == nil {
		return false
	}
	if slices.ContainsFunc(h.Decl.Drives, func(d *fabric.Drive) bool { return d.Shares[smbDirect] != "" }) {
		return true
	}
	return p.Fabric != nil && slices.ContainsFunc(p.Fabric.Volumes, func(v *fabric.Volume) bool {
		return v.Extra["shares."+smbDirect] != "" && slices.Contains(storageHosts(p.Fabric, v.Name), host)
	})
}

// NeedsOf returns the needs of one host.
func NeedsOf(needs []Need, host string) (out []Need) {
	for _, n := range needs {
		if n.Host == host {
			out = append(out, n)
		}
	}
	return out
}

// Because describes which experiments need what: "experiment a needs RDMA; experiments b and c need the kernel's NFS".
func Because(needs []Need) string {
	var whats []string
	by := map[string][]string{}
	for _, n := range needs {
		whats = xslices.AppendNew(whats, n.What)
		by[n.What] = xslices.AppendNew(by[n.What], n.Experiment)
	}
	parts := xslices.Map(whats, func(w string) string { return experimentsNeed(by[w]) + " " + w })
	return strings.Join(parts, "; ")
}

// mostNamed bounds the experiments that one sentence names.
const mostNamed = 3

func experimentsNeed(names []string) string {
	switch n := len(names); {
	case n == 1:
		return "experiment " + names[0] + " needs"
	case n > mostNamed:
		return fmt.Sprintf("experiments %s and %d more need", strings.Join(names[:mostNamed], ", "), n-mostNamed)
	default:
		return "experiments " + unit.List(names) + " need"
	}
}
