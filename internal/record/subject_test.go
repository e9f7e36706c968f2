package record

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"
)

// formsOfSubject has a subject of each form with its text.
var formsOfSubject = []struct {
	text    string
	subject Subject
}{
	{"", Subject{}},
	{"nas", PartsOf("nas")},
	{"nas: eth2", PartsOf("nas", "eth2")},
	{"nas: Ethernet 2", PartsOf("nas", "Ethernet 2")},
	{"nas: vEthernet (storage)", PartsOf("nas", "vEthernet (storage)")},
	{"nas: e1:3", PartsOf("nas", "e1:3")},
	{"nas: e1 and e2", PartsOf("nas", "e1", "e2")},
	{"sw: sfp1, sfp2 and sfp3", PartsOf("sw", "sfp1", "sfp2", "sfp3")},
	{"sw: sfp1 to sfp9 (9 ports)", Subject{Host: "sw", Parts: []string{"sfp1", "sfp9"}, Count: 9}},
	{"nas: e1, e2", Subject{Host: "nas", Parts: []string{"e1", "e2"}}},
	{"nas: e1, e2, link 0000:00:01.1 to 0000:01:00.0", Subject{Host: "nas", Parts: []string{"e1", "e2"},
		Place: "link 0000:00:01.1 to 0000:01:00.0"}},
	{"nas: e1, at 0000:00:01.1", Subject{Host: "nas", Parts: []string{"e1"}, Place: "at 0000:00:01.1"}},
	{"nas: SLOT 3, function 0, of db 1", Subject{Host: "nas", Parts: []string{"SLOT 3"}, Place: "function 0, of db 1"}},
	{"nas: eth2 (0000:01:00.0)", Subject{Host: "nas", Parts: []string{"eth2"}, Bus: "0000:01:00.0"}},
	{"nas: 0000:01:00.0", PartsOf("nas", "0000:01:00.0")},
	{"nas: 0000:02:00.0 Realtek Co., Ltd. RTL8125", PartsOf("nas", "0000:02:00.0 Realtek Co., Ltd. RTL8125")},
	{"nas: 0000:02:00.0 Realtek Co., Ltd. RTL8125, link at 0000:02:00.0", Subject{Host: "nas",
		Parts: []string{"0000:02:00.0 Realtek Co., Ltd. RTL8125"}, Place: "link at 0000:02:00.0"}},
	{"nas: mlx5_0 port 1", PartsOf("nas", "mlx5_0 port 1")},
	{"sm: Quantum port 21 to node3 HCA-2 port 1", PartsOf("sm", "Quantum port 21 to node3 HCA-2 port 1")},
	{"nas: NIC ConnectX4LX at /dev/mst/mt4117_pciconf0", PartsOf("nas", "NIC ConnectX4LX at /dev/mst/mt4117_pciconf0")},
	{"nas: connection tracking", PartsOf("nas", "connection tracking")},
	{"nas: to pc (10.0.1.2)", Subject{Host: "nas", Peer: "pc", Address: netip.MustParseAddr("10.0.1.2")}},
	{"nas: to fe80::1%e1", Subject{Host: "nas", Address: netip.MustParseAddr("fe80::1%e1")}},
	{"nas: to do", PartsOf("nas", "to do")},
	{"link nas.t3.1--pc.a", Subject{Link: "nas.t3.1--pc.a"}},
	{"link 2: eth2", PartsOf("link 2", "eth2")},
	{"address 10.0.1.2", Subject{Address: netip.MustParseAddr("10.0.1.2")}},
	{"address unknown", PartsOf("address unknown")},
}

func TestSubjectRoundTrip(t *testing.T) {
	for _, c := range formsOfSubject {
		text, err := json.Marshal(Finding{Subject: c.subject})
		want, _ := json.Marshal(struct {
			ID       string   `json:"id"`
			Severity Severity `json:"severity"`
			Subject  string   `json:"subject"`
		}{Subject: c.text})
		if err != nil || string(text[:len(want)-1]) != string(want[:len(want)-1]) {
			t.Errorf("%+v: JSON has %s, want %s (%v)", c.subject, text, want, err)
		}
		var back Finding
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back.Subject, c.subject) {
			t.Errorf("%q is read as %+v, want %+v (%v)", c.text, back.Subject, c.subject, err)
		}
	}
}

// What a subject names is what an interface is compared with: not a part of its name, and not the words around it.
func TestSubjectHas(t *testing.T) {
	for _, c := range []struct {
		text, host, part string
		want             bool
	}{
		{"nas: e1", "nas", "e1", true},
		{"nas: e10", "nas", "e1", false},
		{"nas2: e1", "nas", "e1", false},
		{"nas: e1 and e2", "nas", "e2", true},
		{"nas: e1, e2, link at 0000:01:00.0", "nas", "e2", true},
		{"nas: eth2 (0000:01:00.0)", "nas", "eth2", true},
		{"nas: Storage and backup", "nas", "Storage and backup", true},
		{"nas: to pc (10.0.1.2)", "nas", "10.0.1.2", true},
		{"nas: to pc (10.0.1.21)", "nas", "10.0.1.2", false},
		{"nas: to pc (10.0.1.2)", "nas", "pc", false},
		{"nas", "nas", "", false},
		{"link nas.t3.1--pc.a", "", "nas.t3.1--pc.a", false},
	} {
		if got := ReadSubject(c.text).Has(c.host, c.part); got != c.want {
			t.Errorf("%q has %s of %s: %t", c.text, c.part, c.host, got)
		}
	}
}

func TestSubjectWithin(t *testing.T) {
	for _, c := range []struct{ text, want string }{{"nas: e1 and e2", "e1 and e2"}, {"nas", "nas"}, {"pc: e1", "pc: e1"},
		{"nas: to pc (10.0.1.2)", "to pc (10.0.1.2)"}, {"link nas.1--pc.1", "link nas.1--pc.1"}} {
		if got := ReadSubject(c.text).Within("nas"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestUnknownOf(t *testing.T) {
	u := UnknownOf([]string{"nas2", "pc"}, "cores", "no /proc")
	if u.Subject != "nas2, pc: cores" || !u.Of("nas2") || !u.Of("pc") || u.Of("nas") || u.Of("cores") {
		t.Errorf("%+v", u)
	}
}

// Whatever a record has as a subject, it is printed as it was read.
func FuzzReadSubject(f *testing.F) {
	for _, c := range formsOfSubject {
		f.Add(c.text)
	}
	for _, text := range []string{"nas: ", ": e1", "link ", "address ", "nas: to ", "nas: a to b (09 ports)", ": to ::",
		"nas: , and ", "nas: e1 (:.)", "nas: a to (1 ports)", "nas: to pc (0::0)", "nas: x (1:2.3) (4 ports), at "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := ReadSubject(text).String(); got != text {
			t.Errorf("%q is printed as %q", text, got)
		}
	})
}
