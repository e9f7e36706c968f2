package parse

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// TestIfconfigLinux reads ifconfig of net-tools 2 and before, and in a language without a snapshot: the order of the
// numbers counts.
func TestIfconfigLinux(t *testing.T) {
	for name, text := range map[string]string{
		"new": "e1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500\n        inet 192.168.71.131  netmask " +
			"255.255.255.0\n        RX packets 138830  bytes 178583682 (178.5 MB)\n        RX errors 1  dropped 2  overruns " +
			"3  frame 0\n        TX packets 30490  bytes 3772041 (3.7 MB)\n        TX errors 4  dropped 5 overruns 0  " +
			"carrier 0  collisions 0\n",
		"old": "e1        Link encap:Ethernet  HWaddr 00:0c:29:99:45:17\n          inet addr:192.168.71.131  " +
			"Bcast:192.168.71.255\n          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n          RX packets:138830 " +
			"errors:1 dropped:2 overruns:3 frame:0\n          TX packets:30490 errors:4 dropped:5 overruns:0 carrier:0\n     " +
			"     collisions:0 txqueuelen:1000\n          RX bytes:178583682 (178.5 MB)  TX bytes:3772041 (3.7 MB)\n",
		"de": "e1        Link encap:Ethernet  Hardware Adresse 00:0c:29:99:45:17\n          RX-Pakete:138830 Fehler:1 " +
			"Verloren:2 Überläufe:3 Fenster:0\n          TX-Pakete:30490 Fehler:4 Verloren:5 Überläufe:0 Träger:0\n",
	} {
		f := parse.NewBuilder(new(facts.Facts))
		if err := readLinuxIfconfig(f, nil, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := f.Interface("e1").Counters
		if c["rx_packets"] != 138830 || c["rx_errors"] != 1 || c["rx_dropped"] != 2 || c["rx_fifo_errors"] != 3 ||
			c["tx_packets"] != 30490 || c["tx_errors"] != 4 || c["tx_dropped"] != 5 {
			t.Errorf("%s: %v", name, c)
		}
	}
}
