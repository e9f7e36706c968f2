package read

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/facts"
	"linerate/internal/facts/parse/probe"
)

func TestParseProbes(t *testing.T) {
	p := load(t, "host.txtar").Probes
	a, b := netip.MustParseAddr("10.1.0.2"), netip.MustParseAddr("10.2.0.2")
	if w, ok := p.Way(a); !ok || w.Interface != "e1" || w.Gateway.IsValid() || w.From.String() != "10.1.0.1" ||
		w.Line != "10.1.0.2 dev e1 src 10.1.0.1 uid 0" {
		t.Errorf("%+v", w)
	}
	if w, ok := p.Way(b); !ok || w.Interface != "lan" || w.Gateway.String() != "192.168.7.254" {
		t.Errorf("%+v", w)
	}
	if v, ok := p.Path(a); !ok || v.Asked != 9000 || v.Through.Or(0) != 1500 || v.TooBig ||
		v.RTT.Or(0) != 202*time.Microsecond || v.Line != "size 9000 silent" {
		t.Errorf("%+v", v)
	}
	if v, ok := p.Path(netip.MustParseAddr("fd00::2")); !ok || !v.TooBig || v.Through.Or(0) != 84 {
		t.Errorf("%+v", v)
	}
	if o := p.Owners; len(o) != 2 || strings.Join(o[0].Answers, " ") != "62:9a:0b:b5:df:38 96:5f:4d:43:0b:04" ||
		o[0].Own || !o[1].Own || len(o[1].Answers) != 0 || o[0].Interface != "e1" {
		t.Errorf("%+v", o)
	}
	f, err := Parse(append([]byte("host h\n"),
		probe.NotProbed([]probe.ProbeTarget{{Address: a, MTU: 9000}}, "no\nway")...))
	if err != nil || len(f.Unknown) != 1 ||
		f.Unknown[0] != (facts.Unknown{Subject: "probe mtu 10.1.0.2", Reason: "no way"}) {
		t.Errorf("%v %+v", err, f)
	}
}
