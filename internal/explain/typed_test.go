package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// Where the host is a namespace or in a running lab, the commands of a fix can be typed on this machine.
func TestFixesAsTyped(t *testing.T) {
	for _, c := range []struct {
		name        string
		arguments   []string
		connections [2]string // of host1 and host2
		fix, undo   []string
		hasNothing  string
	}{
		{"receive-window-cap", []string{"linerate", "measure", "throughput"}, [2]string{"netns a", "netns b"},
			[]string{`ip netns exec b sysctl -w net.ipv4.tcp_rmem="`}, []string{
				`ip netns exec b sysctl -w net.ipv4.tcp_rmem="4096 6144 6144"`}, ""},
		{"receive-window-cap", []string{"linerate", "measure", "throughput"}, [2]string{"local", "ssh root@nas"},
			[]string{`sysctl -w net.ipv4.tcp_rmem="`}, nil, "ip netns"},
		{"receive-window-cap", []string{"linerate", "run", "x.yaml", "--in-lab=ab12"},
			[2]string{"lab ab12/host1", "lab ab12/host2"},
			[]string{`linerate lab exec ab12/host2 -- sysctl -w`}, []string{"linerate lab exec ab12/host2 -- sysctl -w"}, ""},
		{"receive-window-cap", []string{"linerate", "run", "x.yaml", "--lab"}, [2]string{"lab ab12/host1", "lab ab12/host2"},
			[]string{"sysctl -w"}, nil, "lab exec"},
		{"arp-flux", []string{"linerate", "measure", "throughput"}, [2]string{"netns a", "netns b"},
			[]string{"ip netns exec b sysctl -w net.ipv4.conf.all.arp_ignore=1", "\nip netns exec a ip neigh flush dev "},
			[]string{"ip netns exec b sysctl -w"}, "on host"},
		{"arp-flux", []string{"linerate", "measure", "throughput"}, [2]string{"ssh a", "ssh b"},
			[]string{"on host2: sysctl -w", "on host1: ip neigh flush"}, nil, "netns"},
		{"shallow-buffer", []string{"linerate", "run", "x.yaml", "--in-lab=ab12"}, [2]string{"lab ab12/host1",
			"lab ab12/host2"},
			[]string{"linerate lab exec ab12/sw -- tc qdisc del dev sw.2 root"}, nil, "on sw"},
		{"mtu-black-hole", []string{"linerate", "measure", "throughput"}, [2]string{"netns a", "netns b"},
			[]string{"ip netns exec a ip link set", "\nip netns exec b ip link set"},
			[]string{"ip netns exec a ip link set", "\nip netns exec b ip link set"}, ""},
		{"app-limited", []string{"linerate", "measure", "throughput"}, [2]string{"netns a", "netns b"},
			[]string{"measure without --pace"}, []string{"measure with --pace 50M"}, "fabric"},
		{"app-limited", []string{"linerate", "run", "x.yaml", "--lab"}, [2]string{"lab ab12/host1", "lab ab12/host2"},
			[]string{"in the fabric file"}, []string{"pace: 50M"}, "--pace"},
		{"cpu-quota", []string{"linerate", "measure", "throughput"}, [2]string{"netns a", "netns b"},
			[]string{"echo -1 > /sys/fs/cgroup/cpu/", "systemctl set-property"}, []string{"echo 1"}, "netns"},
	} {
		r := load(t, c.name)
		r.run.Arguments = c.arguments
		if r.run.Lab != nil {
			r.run.Lab.ID = "ab12"
		}
		r.run.Hosts = []record.HostState{{Name: "host1", Connection: c.connections[0]}, {Name: "host2",
			Connection: c.connections[1]}}
		v := r.verdict(t)
		for _, want := range c.fix {
			if !strings.Contains("\n"+v.Fix, want) || c.hasNothing != "" && strings.Contains(v.Fix+v.Undo, c.hasNothing) {
				t.Errorf("%s, %v: fix %q, want %q and no %q", c.name, c.connections, v.Fix, want, c.hasNothing)
			}
		}
		for _, want := range c.undo {
			if !strings.Contains("\n"+v.Undo, want) {
				t.Errorf("%s, %v: undo %q, want %q", c.name, c.connections, v.Undo, want)
			}
		}
	}
}
