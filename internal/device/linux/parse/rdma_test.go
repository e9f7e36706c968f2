package parse

import (
	"testing"
)

// TestKeepModules: no snapshot has the addresses of modules, whoever makes it.
func TestKeepModules(t *testing.T) {
	const text = "a 10 1 b, Live 0xffffffffc0a14000 (OE)\nb 10 0 - Live 0xffffffffc0a03000\n"
	if got := string(KeepModules([]byte(text))); got != "a 10 1 b, Live 0x0000000000000000 (OE)\nb 10 0 - Live "+
		"0x0000000000000000\n" {
		t.Errorf("%q", got)
	}
}
