package parse

import (
	"reflect"
	"testing"

	"linerate/internal/facts"
)

func TestFirewallLimits(t *testing.T) {
	two, many := uint64(12), uint64(17000)
	for rule, want := range map[string]*facts.FirewallLimit{
		"tcp dport 5201 limit rate over 36 mbytes/second burst 256 kbytes counter packets 12 bytes 17000 drop": {
			Bytes: 36 << 20, Dropped: &two, DroppedBytes: &many},
		"limit rate over 5000000 bytes/second burst 100000 bytes drop": {Bytes: 5e6},
		"limit rate over 120 kbytes/minute drop comment \"guests\"":    {Bytes: 2048},
		"ip protocol icmp limit rate over 10/second drop":              {Packets: 10},
		"limit rate over 10/fortnight drop":                            nil,
		// accepts packets below the limit
		"limit rate 400/minute accept":        nil,
		"limit rate over 5 mbytes/second log": nil,
		"tcp dport 22 drop":                   nil,
	} {
		got := parseNftLimit(rule)
		if want != nil {
			want.Rule = rule
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", rule, got, want)
		}
	}
	f, err := parseNftRuleset([]byte("table inet guard {\n\tchain in {\n\t\ttype filter hook input priority 0; policy " +
		"accept;\n\t\tlimit rate over 5 mbytes/second drop\n\t}\n}\n"))
	if err != nil || len(f.Limits) != 1 || f.Limits[0].Table != "inet guard" || f.Limits[0].Chain != "in" ||
		f.Limits[0].Hook != "input" {
		t.Errorf("%+v %v", f.Limits, err)
	}
	f, err = parseNftRuleset([]byte("table inet guard {\n\tchain in {\n\t\taccept\n\t\ttcp dport { 22,\n\t\t\t80 } " +
		"accept\n\t\tlimit rate over 5 mbytes/second drop\n\t\tlimit rate over 6 mbytes/second drop\n\t}\n}\n"))
	if err != nil || len(f.Limits) != 2 || f.Limits[0].Index != 2 || f.Limits[0].Last || f.Limits[1].Index != 3 ||
		!f.Limits[1].Last {
		t.Errorf("places in their chain: %+v %v", f.Limits, err)
	}
	if got := WithoutCounters(
		"limit rate over 1 mbytes/second counter packets 12 bytes 17000 drop",
	); got != "limit rate over 1 mbytes/second counter drop" {
		t.Error(got)
	}
}
