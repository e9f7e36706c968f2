package record

import (
	"reflect"
	"testing"
)

func TestStepsOf(t *testing.T) {
	for fix, want := range map[string][]Step{
		"":                                  nil,
		"sysctl -w a=1":                     {{"sysctl -w a=1", true, ""}},
		"on nas: ip neigh flush dev e0":     {{"ip neigh flush dev e0", true, "nas"}},
		"on every switch: look at its port": {{"on every switch: look at its port", false, ""}},
		"on nas: look at its drive":         {{"on nas: look at its drive", false, ""}},
		"ip netns exec a tc qdisc del dev e0 root\nor leave it": {{"ip netns exec a tc qdisc del dev e0 root", true, ""},
			{"or leave it", false, ""}},
		"linerate lab exec x/nas -- sysctl -w a=1": {{"linerate lab exec x/nas -- sysctl -w a=1", true, ""}},
	} {
		if got := StepsOf(fix); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", fix, got, want)
		}
	}
}
