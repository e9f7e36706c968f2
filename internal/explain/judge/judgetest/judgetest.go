// Package judgetest makes snapshots of hosts for tests of counters.
package judgetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/facts"
	"linerate/internal/facts/read"
)

// Counted are the values of a snapshot: by the name of an interface's counter, "Tcp.X" or "softnet".
type Counted map[string]uint64

// Snapshot returns a snapshot in the form of collect.Collect, at this many seconds after the host's boot.
func Snapshot(t *testing.T, second int, values Counted) *facts.Facts {
	t.Helper()
	boot := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var text strings.Builder
	fmt.Fprintf(&text, "schema linerate/snapshot/1\nhost h\nos linux\nlevel full\nboot b\nwhen %s\nuptime %d.0\n",
		boot.Add(time.Duration(second)*time.Second).Format(time.RFC3339Nano), second)
	rx, tx := []string{}, []string{}
	tcp, ext := []string{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		switch {
		case strings.HasPrefix(name, "rx_"):
			rx = append(rx, fmt.Sprintf("%q:%d", name[3:], v))
		case strings.HasPrefix(name, "tx_"):
			tx = append(tx, fmt.Sprintf("%q:%d", name[3:], v))
		case strings.HasPrefix(name, "Tcp."):
			tcp = append(tcp, name[4:])
		case strings.HasPrefix(name, "TcpExt."):
			ext = append(ext, name[len("TcpExt."):])
		}
	}
	index := max(2, int(values["index"]))
	fmt.Fprintf(&text, "-- ip -j -d -s -s link --\n"+
		"[{\"ifindex\":%d,\"ifname\":\"eth0\",\"flags\":[\"UP\"],"+
		"\"mtu\":1500,\"operstate\":\"UP\",\"link_type\":\"ether\",\"stats64\":{\"rx\":{%s},\"tx\":{%s}}}]\n",
		index, strings.Join(rx, ","), strings.Join(tx, ","))
	if v, ok := values["qdisc"]; ok {
		fmt.Fprintf(&text, "-- tc -j -s -d qdisc --\n"+
			"[{\"kind\":\"tbf\",\"handle\":\"1:\","+
			"\"dev\":\"eth0\",\"root\":true,\"bytes\":%d,\"packets\":1,\"drops\":%d,\"overlimits\":0,\"backlog\":0}]\n",
			values["qdisc bytes"], v)
	}
	for _, table := range []struct {
		file, prefix string
		names        []string
	}{{"snmp", "Tcp", tcp}, {"netstat", "TcpExt", ext}} {
		line := table.prefix + ":"
		for _, name := range table.names {
			line += fmt.Sprintf(" %d", values[table.prefix+"."+name])
		}
		if len(table.names) > 0 {
			fmt.Fprintf(&text, "-- proc/net/%s --\n%s: %s\n%s\n", table.file, table.prefix,
				strings.Join(table.names, " "), line)
		}
	}
	if v, ok := values["softnet"]; ok {
		fmt.Fprintf(&text, "-- proc/net/softnet_stat --\n00000010 %08x 00000000 00000000 00000000 00000000 00000000 "+
			"00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n", v)
	}
	f, err := read.Parse([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
