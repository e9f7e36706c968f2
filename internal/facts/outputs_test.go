package facts

import (
	"testing"
	"time"
)

func TestFromOutputs(t *testing.T) {
	text := FromOutputs("sw1", "eos", time.Unix(1, 0), []Output{
		{Command: "show version", Text: []byte("Arista DCS-7050SX3-48YC8-F\r\nSoftware image version: 4.28.3M\r\n")},
		{Command: "show mlag", Text: []byte(" \n")},
		{Command: "show running-config", Why: "no answer within 5s"},
	})
	f, err := Parse(text)
	if err != nil || f.Host != "sw1" || f.OS != "eos" || f.When.Unix() != 1 {
		t.Fatalf("%v %+v", err, f)
	}
	want := []Unknown{{"show mlag", "it answered nothing"}, {"show running-config", "no answer within 5s"}}
	for _, w := range want {
		found := false
		for _, u := range f.Unknown {
			found = found || u == w
		}
		if !found {
			t.Errorf("%+v is not told: %+v", w, f.Unknown)
		}
	}
	if a := parseArchive(text); len(a.Files) != 1 || string(a.Files[0].Data) != "Arista DCS-7050SX3-48YC8-F\r\nSoftware image version: 4.28.3M\r\n" {
		t.Errorf("%+v", a.Files)
	}
}
