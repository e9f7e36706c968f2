package guest

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// bzImage returns a bzImage with a payload, as far as linerate reads it.
func bzImage(payload []byte) []byte {
	b := make([]byte, 0x250)
	copy(b[0x202:], "HdrS")
	binary.LittleEndian.PutUint16(b[0x206:], 0x20f)
	b[0x1f1] = 4
	binary.LittleEndian.PutUint32(b[0x248:], 100)
	binary.LittleEndian.PutUint32(b[0x24c:], uint32(len(payload)+4))
	b = append(b, make([]byte, 5*512+100-len(b))...)
	return append(append(b, payload...), 1, 2, 3, 4, 99)
}

func TestKernelPayload(t *testing.T) {
	want := []byte("\x28\xb5\x2f\xfdsome bytes")
	got, err := kernelPayload(bzImage(want))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	for name, spoil := range map[string]func([]byte) []byte{"short": func(b []byte) []byte { return b[:100] },
		"cut": func(b []byte) []byte { return b[:len(b)-10] }, "magic": func(b []byte) []byte { b[0x202] = 0; return b },
		"old":    func(b []byte) []byte { b[0x206], b[0x207] = 0, 2; return b },
		"length": func(b []byte) []byte { binary.LittleEndian.PutUint32(b[0x24c:], 1<<31); return b }} {
		if got, err := kernelPayload(spoil(bzImage(want))); err == nil {
			t.Errorf("%s: taken as %d bytes", name, len(got))
		}
	}
}

func FuzzKernelPayload(f *testing.F) {
	f.Add(bzImage([]byte("payload")))
	f.Fuzz(func(t *testing.T, b []byte) {
		kernelPayload(b)
		startsByPVH(b)
	})
}
