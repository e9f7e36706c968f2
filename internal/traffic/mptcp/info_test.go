package mptcp

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// recorded is what Linux 6.18 on amd64 filled in for a connection with two paths, at the end that sends.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".hex")
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// The structures of the kernel become paths with their addresses and what each carried.
func TestParseReading(t *testing.T) {
	if !littleEndian() {
		t.Skip("the recorded structures are those of a little-endian machine")
	}
	after, order, err := parseReading(recorded(t, "addrs"), recorded(t, "infos"))
	if err != nil {
		t.Fatal(err)
	}
	before := reading{order[0]: make(traffic.TCPInfo, tcpInfoSize)}
	var got []string
	for _, f := range between(before, after, order) {
		got = append(got, fmt.Sprintf("%s -> %s: %s sent", f.Local, f.Remote, unit.Bytes(*f.Sent)))
	}
	want := []string{"127.0.0.1:44501 -> 127.0.0.1:33255: 33.9 MB sent",
		"127.0.0.1:44501 -> 127.0.0.2:39479: 31.0 MB sent"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	gone := between(after, reading{}, order)
	if gone[0].Sent != nil {
		t.Errorf("a path that went has counts: %+v", gone[0])
	}
}

func TestFellBack(t *testing.T) {
	info := make([]byte, 64)
	if fellBack(info) || fellBack(nil) {
		t.Error("no flag is taken for a fallback")
	}
	binary.NativeEndian.PutUint32(info[flagsAt:], flagFallback)
	if !fellBack(info) {
		t.Error("the flag is not seen")
	}
}

func FuzzParseReading(f *testing.F) {
	f.Add(recorded(f, "addrs"), recorded(f, "infos"))
	f.Add([]byte{}, []byte{})
	f.Add(bytes.Repeat([]byte{0xff}, headerSize), request(tcpInfoSize))
	f.Fuzz(func(t *testing.T, addrs, infos []byte) {
		now, order, err := parseReading(addrs, infos)
		if err == nil && len(between(now, now, order)) != len(order) {
			t.Error("paths are lost")
		}
	})
}
