package pci

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// TestPayloadRegisters: registers of a device that does not answer, and reserved sizes, are ignored.
func TestPayloadRegisters(t *testing.T) {
	for text, want := range map[string]int{"10008fe2\n2910\n": 128, "10008fe2\n2950\n": 512, "00000001\n0020\n": 256,
		"ffffffff\nffff\n": 0, "10008fe6\n2910\n": 0, "10008fe2\n29d0\n": 0, "10008fe2\n": 0, "zzzzzzzz\n2910\n": 0, "": 0} {
		f := &facts.Facts{}
		err := readPayload(parse.NewBuilder(f), []string{"0000:41:00.0"}, []byte(text))
		d := f.PCIAt("0000:41:00.0")
		if (err == nil) != (want > 0) || want > 0 && d.Payload.Or(0) != want {
			t.Errorf("%q: %v %+v", text, err, d)
		}
	}
}
