package result

import (
	"testing"

	"linerate/internal/record"
)

// TestMeasuredOn: namespaces and labs are not called real hosts.
func TestMeasuredOn(t *testing.T) {
	for _, c := range []struct {
		lab     *record.Lab
		connect []string
		want    string
		inLab   bool
	}{
		{&record.Lab{Scale: 0.1}, nil, "a lab, 1/10 scale", true},
		{&record.Lab{Scale: 1}, nil, "a lab, full scale", true},
		{nil, []string{"lab k3vq/a", "lab k3vq/b"}, "a lab, scale not known", true},
		{nil, []string{"netns a", "netns b"}, "namespaces of one machine", false},
		{nil, []string{"local", "netns b"}, "namespaces of one machine", false},
		{nil, []string{"loop a", "loop b"}, "namespaces of one machine", false},
		{nil, []string{"netns a", "ssh nas"}, "namespaces and real hosts", false},
		{nil, []string{"local"}, "one machine", false},
		{nil, []string{"local", "ssh root@nas"}, "real hosts", false},
		{nil, nil, "hosts that are not known", false},
	} {
		r := &record.Run{Lab: c.lab}
		for _, s := range c.connect {
			r.Hosts = append(r.Hosts, record.HostState{Connection: s})
		}
		if got := MeasuredOn(r); got != c.want || InLab(r) != c.inLab {
			t.Errorf("%v, %q: %q, in a lab %t", c.lab, c.connect, got, InLab(r))
		}
	}
}
