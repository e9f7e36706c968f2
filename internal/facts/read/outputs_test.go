package read

import (
	"testing"
	"time"

	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
)

func TestFromOutputs(t *testing.T) {
	text := snapshot.FromOutputs("sw1", "eos", time.Unix(1, 0), []snapshot.Output{
		{Command: "show version", Text: []byte("Arista DCS-7050SX3-48YC8-F\r\nSoftware image version: 4.28.3M\r\n")},
		{Command: "show mlag", Text: []byte(" \n")},
		{Command: "show running-config", Why: "no answer within 5s"},
	})
	f, err := Parse(text)
	if err != nil || f.Host != "sw1" || f.OS != "eos" || f.When.Unix() != 1 {
		t.Fatalf("%v %+v", err, f)
	}
	want := []facts.Unknown{{Subject: "show mlag", Reason: "it answered nothing"},
		{Subject: "show running-config", Reason: "no answer within 5s"}}
	for _, w := range want {
		found := false
		for _, u := range f.Unknown {
			found = found || u == w
		}
		if !found {
			t.Errorf("%+v is not reported: %+v", w, f.Unknown)
		}
	}
	if a := snapshot.ParseArchive(text); len(a.Files) != 1 ||
		string(a.Files[0].Data) != "Arista DCS-7050SX3-48YC8-F\r\nSoftware image version: 4.28.3M\r\n" {
		t.Errorf("%+v", a.Files)
	}
}
