package nvmetcp

import (
	"encoding/hex"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for s, want := range map[string]Address{
		"nvme-tcp://10.0.0.2:4421/nqn.2014-08.org.nvmexpress:uuid:1": {Host: "10.0.0.2", Port: 4421,
			NQN: "nqn.2014-08.org.nvmexpress:uuid:1"},
		"nvme-tcp://stor1/lab":                      {Host: "stor1", Port: 4420, NQN: "lab"},
		"nvme-tcp://[2001:db8::1]/lab":              {Host: "2001:db8::1", Port: 4420, NQN: "lab"},
		"nvme-tcp://[fe80::1%eth0]:8009/lab?nsid=3": {Host: "fe80::1%eth0", Port: 8009, NQN: "lab", Namespace: 3},
		"nvme-tcp://a/x%20y":                        {},
	} {
		a, err := ParseAddress(s)
		if want.NQN == "" {
			if err == nil {
				t.Errorf("%s is taken: %+v", s, a)
			}
			continue
		}
		if err != nil || a != want {
			t.Errorf("%s: %+v, %v", s, a, err)
		}
	}
	for s, want := range map[string]string{"10.0.0.2:4420/lab": "does not begin with nvme-tcp://",
		"nvme-tcp://10.0.0.2": "names no subsystem", "nvme-tcp://10.0.0.2/": "names no subsystem",
		"nvme-tcp:///lab": "names no host", "nvme-tcp://a:0/lab": "port \"0\" is not a number from 1 to 65535",
		"nvme-tcp://a:70000/lab": "port \"70000\"", "nvme-tcp://a:/lab": "port \"\"",
		"nvme-tcp://2001:db8::1/lab":  "is in brackets, as [::1]:4420, unlike in \"2001:db8::1\"",
		"nvme-tcp://[2001:db8::1/lab": "bracket of the address is not closed",
		"nvme-tcp://[10.0.0.1]/lab":   "not an IPv6 address", "nvme-tcp://[::1]4420/lab": "where only :PORT may",
		"nvme-tcp://user@a/lab": "user name", "nvme-tcp://a b/lab": "not a host name", "nvme-tcp://a/lab?nsid=0": "nsid=N",
		"nvme-tcp://a/lab?ns=1": "nsid=N", "nvme-tcp://a/%zz": "invalid URL escape",
		"nvme-tcp://a/lab/2":                       "a character that a name cannot have",
		"nvme-tcp://a/" + strings.Repeat("x", 224): "has 224 bytes; the specification allows 223"} {
		if a, err := ParseAddress(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", s, a, err, want)
		}
	}
}

func TestStatus(t *testing.T) {
	for s, want := range map[Status]string{0: "success (status 0h)", statusRange | doNotRetry: "LBA out of range " +
		"(status " +
		"80h)", 0x2ff: "media or data integrity status without a name here (status 2ffh)",
		0x7ff: "vendor specific status without a name here (status 7ffh)"} {
		if s.String() != want {
			t.Errorf("%x: %s", uint16(s), s)
		}
	}
	if s := statusConnectInvalid.words(connectWords); s != "invalid parameters of Connect (status 182h)" {
		t.Error(s)
	}
}

// The vectors of RFC 3720, appendix B.4, whose digest NVMe/TCP adopted; on the wire the least significant byte comes
// first.
func TestDigest(t *testing.T) {
	ones, rising := make([]byte, 32), make([]byte, 32)
	for i := range 32 {
		ones[i], rising[i] = 0xff, byte(i)
	}
	for want, b := range map[uint32][]byte{0x8a9136aa: make([]byte, 32), 0x62a8ab43: ones, 0x46dd794e: rising} {
		if got := digest(b); got != want {
			t.Errorf("%x: %08x, want %08x", b, got, want)
		}
	}
}

// PDUs byte by byte as in the figures of the specification (TCP, sections 3.6.2.1, 3.6.2.5, 3.6.2.8, 3.6.2.9).
func TestBytes(t *testing.T) {
	if got := hex.EncodeToString(
		initial{align: 4, header: true, data: true, most: 4}.put(pduICReq)[:20],
	); got != "0000800080000000"+"0000"+"00"+"03"+"03000000"+"00000000" {
		t.Errorf("ICReq %s", got)
	}
	if got := hex.EncodeToString(
		initial{align: 8, most: 131072}.put(pduICResp)[:16],
	); got != "0100800080000000"+"0000"+"01"+"00"+"00000200" {
		t.Errorf("ICResp %s", got)
	}
	f := framing{align: 16, header: true, data: true}
	b := capsule(f, func(e sqe) {
		e.begin(opWrite, 0x1234, 1)
		e.setQW(10, 0x1122334455)
		e.setDW(12, 0)
		e.carry(512, true)
	}, 512)
	// header, digest in bytes 72 to 75, padding to 80, data, digest
	if len(b) != 80+512+4 || hex.EncodeToString(b[:12]) != "04034850"+"54020000"+"01403412" || b[72+4] != 0 ||
		b[8+39] != 0x01 ||
		b[8+32] != 0 ||
		b[8+33] != 2 ||
		b[8+40] != 0x55 ||
		b[8+44] != 0x11 {
		t.Errorf("CapsuleCmd %x", b[:80])
	}
	if b := dataPDU(framing{align: 4}, pduH2CData, flagLast, 0x0102, 0x0304, 0x05060708, 4,
		4); hex.EncodeToString(b) != "06041818"+"1c000000"+"02010403"+"08070605"+"04000000"+"00000000"+"00000000" {
		t.Errorf("H2CData %x", b)
	}
	if b := askPDU(framing{align: 4}, 0x0102, 4096,
		8192); hex.EncodeToString(b) != "09001800"+"18000000"+"0201"+"0000"+"00100000"+"00200000"+"00000000" {
		t.Errorf("R2T %x", b)
	}
}
