package layout

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/lab/labtest"
)

// storage returns a plan of three hosts connected to each other; the first two have drives.
func storage(experiments ...*fabric.Experiment) *plan.Plan {
	p := labtest.Mesh([]string{"a", "b", "c"}, unit.GigabitPerSecond, 1500)
	p.Hosts[0].Decl.Drives = []*fabric.Drive{
		{Name: "tank", Shares: map[string]string{"smb": "//a/tank"}},
		{Name: "lun", Export: "iscsi"},
		{Name: "own"},
		{Name: "fast", Shares: map[string]string{smbDirect: "//a/fast"}},
	}
	p.Hosts[1].Decl.Drives = []*fabric.Drive{{Name: "disk"}, {Name: "other", Export: "nfs"}}
	p.Fabric = &fabric.Fabric{Experiments: experiments, Volumes: []*fabric.Volume{
		{Name: "pool", Of: []string{"a.own", "b.disk"}, Extra: map[string]string{"export": "nvme-tcp"}},
		{Name: "shared", Of: []string{"b.disk"}, Extra: map[string]string{"shares.nfs": "b:/x"}}}}
	for _, h := range p.Hosts {
		p.Fabric.Hosts = append(p.Fabric.Hosts, h.Decl)
	}
	return p
}

func TestNeeds(t *testing.T) {
	over := func(transports ...string) []fabric.Parameter {
		return []fabric.Parameter{{Key: "transport", Values: transports}}
	}
	for _, c := range []struct {
		name string
		x    fabric.Experiment
		want string // hosts, and what they need
	}{
		{"verbs", fabric.Experiment{Method: "rdma", From: []string{"a"}, To: []string{"b.nic"}}, "a b: RDMA"},
		{"verbs over one transport", fabric.Experiment{Method: "rdma", From: []string{"a"}, To: []string{"b"},
			Parameters: over("iwarp")}, "a b: RDMA"},
		{"verbs on links", fabric.Experiment{Method: "rdma", On: []string{"links"}}, "a b c: RDMA"},
		{"verbs of a range", fabric.Experiment{Method: "rdma", From: []string{"a", "b"}, To: []string{"c"}}, "a b c: RDMA"},
		{"stream", fabric.Experiment{Method: "throughput", From: []string{"a"}, To: []string{"b"},
			Parameters: over("tcp", "udp")}, ""},
		{"ping", fabric.Experiment{Method: "latency", On: []string{"links"}}, ""},
		{"app", fabric.Experiment{Method: "command", On: []string{"a", "b"}}, ""},
		{"SMB Direct", fabric.Experiment{Method: "storage", From: []string{"a"}, To: []string{"b.disk"},
			Parameters: over("smb-direct")}, "a b: RDMA and the kernel's SMB"},
		{"SMB", fabric.Experiment{Method: "storage", From: []string{"c"}, To: []string{"a.tank"}, Parameters: over("smb")},
			"c a: the kernel's SMB"},
		{"two transports", fabric.Experiment{Method: "storage", From: []string{"a"}, To: []string{"b.disk"},
			Parameters: over("local", "smb", "nfs")}, "a b: the kernel's SMB; a b: the kernel's NFS"},
		{"copies go between programs", fabric.Experiment{Method: "copy", From: []string{"a.tank"}, To: []string{"b.disk"},
			Parameters: over("smb", "nfs", "ftp")}, ""},
		{"local", fabric.Experiment{Method: "storage", From: []string{"a"}, To: []string{"a.lun"},
			Parameters: over("local")}, ""},
		{"iSCSI as exported", fabric.Experiment{Method: "storage", From: []string{"c"}, To: []string{"a.lun"}}, "c a: the " +
			"kernel's iSCSI"},
		{"on its own host", fabric.Experiment{Method: "storage", From: []string{"a"}, To: []string{"a.lun"}}, ""},
		{"where the storage is seen", fabric.Experiment{Method: "storage", To: []string{"a.lun"}}, ""},
		{"a share", fabric.Experiment{Method: "storage", From: []string{"b"}, To: []string{"a.tank"}},
			"b a: the kernel's SMB"},
		{"not exported", fabric.Experiment{Method: "storage", From: []string{"b"}, To: []string{"a.own"}}, ""},
		{"a volume", fabric.Experiment{Method: "storage", From: []string{"c"}, To: []string{"pool"}}, "c a b: the kernel's " +
			"NVMe over TCP"},
		{"a volume's share", fabric.Experiment{Method: "storage", From: []string{"a"}, To: []string{"shared"}}, "a b: the " +
			"kernel's NFS"},
		{"a host that is not there", fabric.Experiment{Method: "rdma", From: []string{"x"}, To: []string{"a"}}, "a: RDMA"},
	} {
		c.x.Name = "x"
		var got []string
		for _, n := range Needs(storage(&c.x)) {
			if n.Experiment != "x" {
				t.Errorf("%s: %+v", c.name, n)
			}
			if last := len(got) - 1; last >= 0 && strings.HasSuffix(got[last], ": "+n.What) {
				hosts, _ := strings.CutSuffix(got[last], ": "+n.What)
				got[last] = hosts + " " + n.Host + ": " + n.What
				continue
			}
			got = append(got, n.Host+": "+n.What)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
	if n := Needs(&plan.Plan{}); n != nil {
		t.Errorf("a plan without a file: %+v", n)
	}
}

func TestBecause(t *testing.T) {
	needs := []Need{
		{"a", "x", "RDMA"},
		{"b", "x", "RDMA"},
		{"a", "y", "RDMA"},
		{"a", "z", "SMB"},
		{"a", "1", "NFS"},
		{"a", "2", "NFS"},
		{"a", "3", "NFS"},
		{"a", "4", "NFS"},
		{"a", "5", "NFS"},
	}
	for host, want := range map[string]string{"a": "experiments x and y need RDMA; experiment z needs SMB; " +
		"experiments 1, 2, 3 and 2 more need NFS", "b": "experiment x needs RDMA", "c": ""} {
		if got := Because(NeedsOf(needs, host)); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
	if got := Because(needs[:2]); got != "experiment x needs RDMA" {
		t.Errorf("of all hosts: %q", got)
	}
}

func TestWantsSMBDirect(t *testing.T) {
	x := &fabric.Experiment{Name: "x", Method: "storage", From: []string{"c"}, To: []string{"b.disk"},
		Parameters: []fabric.Parameter{{Key: "transport", Values: []string{smbDirect}}}}
	p := storage(x)
	p.Fabric.Volumes[1].Extra["shares.smb-direct"] = "//b/x"
	// a by its share, the others by the experiment
	for host, want := range map[string]bool{"a": true, "b": true, "c": true, "none": false} {
		if got := WantsSMBDirect(p, Needs(p), host); got != want {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
	p.Fabric.Experiments = nil
	for host, want := range map[string]bool{"a": true, "b": true, "c": false} { // b by the volume
		if got := WantsSMBDirect(p, Needs(p), host); got != want {
			t.Errorf("by shares alone, %s: %v, want %v", host, got, want)
		}
	}
}

// Guests that the file or the user requests come first; those for experiments get the remaining memory.
func TestByThemselves(t *testing.T) {
	const memory, need = 512, 576
	for _, c := range []struct {
		available int64
		guests    string
	}{{0, "a b c"}, {3 * need, "a b c"}, {3*need - 1, "a b"}, {2 * need, "a b"}, {2*need - 1, "b"}, {1, "b"}} {
		l := Layout{Hosts: []Node{
			{Name: "a", Guest: true, Because: "experiment x needs RDMA"},
			{Name: "b", Guest: true},
			{Name: "c", Guest: true, Because: "experiment x needs RDMA", RDMA: []RDMAPort{{"p", "ib", false}}},
			{Name: "d"},
		}}
		notes := l.FitMemory(memory, c.available)
		var guests []string
		for _, n := range l.Hosts {
			if n.Guest {
				guests = append(guests, n.Name)
			} else if n.RDMA != nil || n.Because != "" {
				t.Errorf("%d: %s is a namespace with %+v", c.available, n.Name, n)
			}
		}
		if strings.Join(guests, " ") != c.guests || len(notes) != 2 {
			t.Errorf("with %d: guests %v, want %s; %+v", c.available, guests, c.guests, notes)
		}
		for _, n := range notes {
			want := "a guest, because experiment x needs RDMA"
			if !slices.Contains(guests, n.Subject) {
				want = "a namespace, though experiment x needs RDMA, because a guest takes 576 B and this machine has too " +
					"little memory left"
			}
			if n.Text != want {
				t.Errorf("%s: %s", n.Subject, n.Text)
			}
		}
	}
}
