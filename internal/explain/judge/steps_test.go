package judge

import "testing"

// Each command of a check's fix has its host, in lines as well as in one line.
func TestFromCheck(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"ip link set a mtu 9000; ip link set b mtu 9000": "on nas: ip link set a mtu 9000\non nas: ip link set b mtu 9000",
		"ip link set a mtu 9000\nethtool -K a gro on":    "on nas: ip link set a mtu 9000\non nas: ethtool -K a gro on",
		"another slot\nip link set a up":                 "another slot\non nas: ip link set a up",
	} {
		if got := FromCheck("nas", text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
