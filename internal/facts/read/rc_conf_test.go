package read

import (
	"fmt"
	"slices"
	"testing"
)

func TestRCConf(t *testing.T) {
	a, notRead := FromKept("x", map[string][]byte{
		"rc.conf": []byte("hostname=\"x\"\nifconfig_mce0=\"inet 10.1.0.9/24\"\nifconfig_mce0=\"inet 10.50.1.4/24 mtu 9000 " +
			"media autoselect mediaopt full-duplex\"\nifconfig_mce0_alias0=\"inet 10.50.1.5 netmask 0xffffff00\"\n" +
			"vlans_mce0=\"711 712\"\nifconfig_mce0_711=\"inet 10.7.0.1/24\"\nifconfig_mce0_711_ipv6='inet6 2001:db8::1 " +
			"prefixlen 64'\nifconfig_lagg0=\"laggproto lacp laggport ix0 laggport ix1 " +
			"10.0.0.1/24\"\nifconfig_DEFAULT=\"SYNCDHCP\"\n"),
		"sysctl.conf": []byte(
			"# what\ndev.mce.0.conf.qos.trust_state=2\ndev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0\n" +
				"dev.mce.0.rx_priority_flow_control_3=1\ndev.mce.0.tx_priority_flow_control_3=1\nkern.ipc.maxsockbuf=16777216\n",
		),
	}, []string{"rc.conf", "sysctl.conf"})
	f, err := Parse(a)
	if err != nil || len(notRead)+len(f.Unknown) > 0 {
		t.Fatal(err, notRead, f.Unknown)
	}
	var got []string
	for _, n := range f.NICs {
		got = append(got, fmt.Sprintf("%s %d %v %v %v %s %t", n.Name, n.Configured.MTU, n.Configured.Addresses,
			n.Configured.VLANs,
			n.Configured.Members, n.Configured.Protocol, n.Configured.PauseSaid && !n.Configured.Pause))
	}
	want := []string{"mce0 9000 [10.50.1.4/24 10.50.1.5/24] [711 712] []  true",
		"mce0.711 0 [10.7.0.1/24 2001:db8::1/64] [] []  false", "lagg0 0 [] [] [ix0 ix1] lacp false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c := f.NIC("mce0").Asked
	if pfc, why := c.PFC(); c.Trust.Or("") != "dscp" || c.DSCP[26] != 3 || !slices.Equal(pfc, []int{3}) {
		t.Errorf("%+v %s", c, why)
	}
	if f.TCP.SocketMost.IsKnown() || f.OS != "freebsd" {
		t.Error("what a file asks for is not a fact about what is in effect")
	}
}
