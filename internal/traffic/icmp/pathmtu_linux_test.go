package icmp

import (
	"encoding/binary"
	"testing"
)

func FuzzPathError(f *testing.F) {
	b := make([]byte, 44)
	binary.NativeEndian.PutUint32(b, 90) // EMSGSIZE
	b[4] = errOfICMP
	binary.NativeEndian.PutUint32(b[8:], 1500)
	binary.NativeEndian.PutUint16(b[16:], 2)
	copy(b[20:], []byte{10, 0, 0, 9})
	if hop, mtu, ok := parsePathError(b); !ok || hop != "10.0.0.9" || mtu != 1500 {
		f.Fatal(hop, mtu, ok)
	}
	f.Add(b)
	f.Add(b[:24])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if hop, mtu, ok := parsePathError(b); ok && (hop == "" || mtu < 0 || mtu > 65535) {
			t.Errorf("%q, %d", hop, mtu)
		}
	})
}
