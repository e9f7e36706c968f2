package read

import (
	"strings"
	"testing"

	"linerate/internal/facts/parse"
)

// written prints a split session: each command, then its lines after "| ".
func written(pieces []parse.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString("[" + p.Command + "]\n")
		for line := range strings.Lines(string(p.Text)) {
			if strings.TrimSpace(line) != "" {
				b.WriteString("| " + line)
			}
		}
	}
	return b.String()
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"bash", "last login: now\nroot@nas:~# ethtool eth2\nSettings for eth2:\n\tSpeed: 10000Mb/s\nroot@nas:~# " +
			"\nroot@nas:/etc# ip a | more\n1: lo: <LOOPBACK>\n",
			"[]\n| last login: now\n[ethtool eth2]\n| Settings for eth2:\n| \tSpeed: 10000Mb/s\n[ip a]\n| 1: lo: <LOOPBACK>\n"},
		{"red hat", "[root@nas ~]# lspci\n00:00.0 Host bridge: x\n", "[lspci]\n| 00:00.0 Host bridge: x\n"},
		{"truenas", "root@truenas[~]# ifconfig -v\nmce0: flags=8843<UP>\n", "[ifconfig -v]\n| mce0: flags=8843<UP>\n"},
		{"host", "host:~$ ss -tinm\nState Recv-Q\n", "[ss -tinm]\n| State Recv-Q\n"},
		{"powershell", "PS C:\\Users\\x> Get-NetAdapter\nName  Status\n----  ------\nSLOT 3 Up\nPS C:\\Users\\x> mst " +
			"status\nMST devices:\n",
			"[Get-NetAdapter]\n| Name  Status\n| ----  ------\n| SLOT 3 Up\n[mst status]\n| MST devices:\n"},
		{"cmd", "C:\\>netsh int ip show offload\nInterface 1: x\n", "[netsh int ip show offload]\n| Interface 1: x\n"},
		{"switch", "sn2100 [standalone: master] > enable\nsn2100 [standalone: master] # show dcb " +
			"priority-flow-control\nPFC: enabled\nsn2100 [standalone: master] # \n",
			"[]\n| enable\n[show dcb priority-flow-control]\n| PFC: enabled\n"},
		{"config", "leaf1#conf t\nleaf1(config)#interface Ethernet1\nleaf1(config-if-Et1)#no " +
			"shutdown\nleaf1(config-if-Et1)#show interfaces\nEthernet1 is up\n",
			"[]\n| conf t\n| interface Ethernet1\n| no shutdown\n[show interfaces]\n| Ethernet1 is up\n"},
		{"nameless", "$ lsmod\nModule Size Used by\n# ethtool -i eth0\ndriver: ixgbe\n# made by hand\n",
			"[lsmod]\n| Module Size Used by\n[ethtool -i eth0]\n| driver: ixgbe\n| # made by hand\n"},
		{"no prompt", "eth0: <UP> x > y\nfoo# 7\n-- x --\n", ""},
		{"routeros 7", "[admin@MikroTik] > /interface/ethernet/switch/qos/port\n[admin@MikroTik] " +
			"/interface/ethernet/switch/qos/port> set qsfp28-1-1 trust-l3=keep\n[admin@MikroTik] " +
			"/interface/ethernet/switch/qos/port> pr where name=e1\n # NAME\n 0 e1\n[admin@MikroTik] " +
			"/interface/ethernet/switch/qos/port> ..\n[admin@MikroTik] /interface/ethernet/switch/qos> monitor\n " +
			"total-packet-cap: 1\n",
			"[commands]\n| /interface ethernet switch qos port\n| set qsfp28-1-1 trust-l3=keep\n[/interface ethernet switch " +
				"qos port print where name=e1]\n|  # NAME\n|  0 e1\n[/interface ethernet switch qos monitor]\n|  " +
				"total-packet-cap: 1\n"},
		{"routeros 6", "[admin@x] /interface ethernet> mon sfp1 once\n name: sfp1\n[admin@x] <SAFE> > /sys res pri\n " +
			"uptime: 1d\n",
			"[/interface ethernet monitor sfp1 once]\n|  name: sfp1\n[/system resource print]\n|  uptime: 1d\n"},
		{"routeros written down", "# 配置\n/interface ethernet switch qos tx-manager\nset queue-buffers=auto ecn=yes " +
			"numbers=0\nprint\n---\nFlags: H - HW-OFFLOADED\n# NAME ECN\n0 H default yes\n/interface ethernet switch\nset " +
			"switch1 qos-hw-offloading=yes\n",
			"[commands]\n| /interface ethernet switch qos tx-manager\n| set queue-buffers=auto ecn=yes " +
				"numbers=0\n[/interface ethernet switch qos tx-manager print]\n| Flags: H - HW-OFFLOADED\n| # NAME ECN\n| 0 H " +
				"default yes\n[commands]\n| /interface ethernet switch\n| set switch1 qos-hw-offloading=yes\n"},
		{"routeros export", "/interface bridge\nadd name=bridge\n/ip address\nadd address=10.0.0.1/24 interface=bridge\n",
			""},
	} {
		if got := written(split([]byte(c.text))); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func TestRouterOSCommand(t *testing.T) {
	for name, want := range map[string]string{
		"/interface/ethernet/switch/qos/port/print stats where name=e1": "/interface ethernet switch qos port print",
		"/int eth sw qos po pr":                               "/interface ethernet switch qos port print",
		"interface ethernet monitor sfp1 once":                "/interface ethernet monitor",
		":put [/interface ethernet monitor e1 once as-value]": "/interface ethernet monitor",
		"GET /rest/interface/ethernet/switch/qos/port":        "/interface ethernet switch qos port print",
		"/interface ethernet export verbose":                  "/export",
		"/export":                                             "/export",
		"/ip address print detail":                            "/ip address print",
		"/sys/class/net/e0/mtu":                               "sys/class/net/e0/mtu",
		"ip address show":                                     "ip address",
		"ip route":                                            "ip route",
		"/system/bin/print":                                   "system/bin/print",
	} {
		if got := canonical(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	text := []byte(strings.Repeat("eth2: flags=4163<UP,BROADCAST,RUNNING>  mtu 9000 $x #\n     rx_packets: 12345678901 "+
		"[   12.345678] mlx5_core 0000:01:00.0: x\n", 40000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		split(text)
	}
}
