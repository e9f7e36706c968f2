package fabric

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/host/connect"
)

// buying has keys that only purchases need: slots of a machine, the distance between ends, adapters.
const buying = `fabric: buying
hosts:
  a: {os: linux, slots: [pcie3x16, pcie 3.0 x8], nics: {n: {part: MCX354A-FCCT}}}
  b: {os: linux, nics: {n: {part: MCX311A-XCAT}}}
links: {ends: [a.n.1, b.n.1], cable: SFP+-DAC-3m, adapter: {part: QSA, price: 20 USD}, length: 2.5m}
`

func TestBuying(t *testing.T) {
	f, problems := loadText(t, buying)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := strings.Join(f.Hosts[0].Slots, " "); got != "pcie3x16 pcie3x8" {
		t.Errorf("slots: %q", got)
	}
	l := f.Links[0]
	if l.Length != 2.5 || l.Adapter.Part == nil || l.Adapter.Part.ID != "qsa" ||
		l.Adapter.Price.Money.String() != "20.00 USD" ||
		l.Adapted != [2]bool{true, false} {
		t.Errorf("%+v", l)
	}
	for _, x := range []struct{ old, new, want string }{
		{"pcie3x16", "sas3", `"sas3" is not a PCI Express slot`},
		{"pcie3x16", "pcie", `"pcie" is not a PCI Express slot`},
		{"2.5m", "0m", "0 m is not a length"},
		{"2.5m", "90000m", "90000 m is not a length"},
		{"2.5m", "far", "far"},
		{"part: QSA, price: 20 USD", "part: SFP+-DAC-1m", "not an adapter but a cable"},
		{", adapter: {part: QSA, price: 20 USD}", "", "the sfp+ plug"},
		{"MCX311A-XCAT", "X540-T2", "does not fit"},
		{"[pcie3x16, pcie 3.0 x8]", "[" + strings.Repeat("pcie3x1, ", maxSlots+1) + "]", "the host has 65 slots"},
	} {
		_, problems := loadText(t, strings.Replace(buying, x.old, x.new, 1))
		if len(problems) == 0 || !strings.Contains(problems.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.new, problems, x.want)
		}
	}
}

// TestGuest reads how the lab runs a host: as a namespace, a machine, or a machine with an operating system.
func TestGuest(t *testing.T) {
	for text, want := range map[string]struct {
		is     bool
		system string
		says   string
	}{
		"true": {is: true}, "on": {is: true}, "false": {}, "no": {}, "systemd": {is: true, system: "systemd"},
		"ubuntu":    {says: "guest is true, false or systemd"},
		"[systemd]": {says: "guest takes one value"},
	} {
		file := filepath.Join(t.TempDir(), "f.yaml")
		nic := "nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}"
		err := os.WriteFile(file, []byte("fabric: f\nhosts:\n  a: {os: linux, guest: "+text+", "+nic+"}\n  b: {"+nic+
			"}\nlinks: [{ends: [a.c, b.c], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}]\n"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := Load(file, Options{Catalog: testCatalog(t)})
		if want.says != "" {
			if problems == nil || !strings.Contains(problems.Error(), want.says) {
				t.Errorf("guest: %s: %v; want %q", text, problems, want.says)
			}
			continue
		}
		if problems != nil {
			t.Errorf("guest: %s: %v", text, problems)
			continue
		}
		if h := f.Hosts[0]; h.Guest != want.is || h.GuestSystem != want.system {
			t.Errorf("guest: %s: %v, %q", text, h.Guest, h.GuestSystem)
		}
	}
}

// TestConnectionLikeHostConnect: the rules are repeated in package connect, which fabric may not import. Both must
// agree.
func TestConnectionLikeHostConnect(t *testing.T) {
	for _, s := range []string{"local", "local x", "netns a", "netns", "netns ..", "netns a b", "netns a/b", "ssh nas",
		"ssh root@nas", "ssh root@10.0.0.1", "ssh root@[fe80::1%eth0]", "ssh", "ssh -v nas", "ssh nas uptime",
		"ssh -oProxyCommand=x nas", "ssh root@$(x)", "ssh a;b", "ssh -", "ssh a@b@c", "ssh @nas", "ssh nas@",
		"ssh user+x@nas", "lab n1", "lab 3f2a/n1", "lab a/b/c", "lab", "lab /x", "tcp nas:7000", "tcp nas", "tcp nas:0",
		"tcp nas:70000", "tcp [::1]:7000", "tcp :7000", "srun", "srun -p fast -N 2", "srun -p=fast",
		"srun --jobid 12 -w n[1-4]", "srun -p", "srun hostname", "srun --pty bash", "srun -p fast hostname", "kubectl pod",
		"kubectl -n ns --context c -c box pod/x", "kubectl -n ns", "kubectl exec pod sh", "kubectl --kubeconfig f pod",
		"kubectl -n $(x) pod", "snapshots /tmp/x", "sh -c reboot", "SSH nas", "ssh\tnas", "local;reboot"} {
		message, fix := checkConnection(s)
		_, err := connect.ParseFile(s)
		if (message == "") != (err == nil) {
			t.Errorf("%q: here %q, in connect %v", s, message, err)
		}
		if message != "" && fix == "" {
			t.Errorf("%q: nothing says what to write", s)
		}
	}
}

func TestRefused(t *testing.T) {
	_, problems := loadText(t, "fabric: t\nhosts: {a: {connect: ssh -v nas}}\nlinks: []\n")
	if len(problems) != 1 || !problems.Refused() {
		t.Errorf("%v", problems)
	}
	_, problems = loadText(t, "fabric: t\nhosts: {a: {os: x}}\nlinks: []\n")
	if len(problems) != 1 || problems.Refused() {
		t.Errorf("%v", problems)
	}
}
