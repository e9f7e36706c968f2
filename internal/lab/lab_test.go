package lab

import (
	"slices"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/lab/labtest"
	"linerate/internal/lab/layout"
)

func TestGuests(t *testing.T) {
	p := labtest.Mesh([]string{"a", "b", "c"}, unit.GigabitPerSecond, 1500)
	p.Hosts[0].Decl.Guest = true
	needs := []layout.Need{{Host: "c", Experiment: "x", What: "RDMA"}}
	for _, c := range []struct {
		o    Options
		want []string
	}{
		{Options{}, []string{"a"}}, {Options{AllGuests: true}, []string{"a", "b", "c"}}, {Options{Needs: needs},
			[]string{"a", "c"}},
		{Options{NoGuests: true, Needs: needs}, nil}, {Options{NoGuests: true, AllGuests: true}, nil},
	} {
		if got := Guests(p, c.o); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.o, got, c.want)
		}
	}
}

func TestMissingModules(t *testing.T) {
	i := Info{Guests: []Guest{{Host: "a", Missing: []string{"siw"}}, {Host: "b"}, {Host: "c", Missing: []string{"siw"}}}}
	hosts, sets := i.MissingModules()
	if !slices.Equal(hosts, []string{"a", "c"}) || !slices.Equal(sets, []string{"siw"}) {
		t.Errorf("%v, %v", hosts, sets)
	}
}

func TestNotes(t *testing.T) {
	var n notes
	n.add("host", "a", "no %s", "sysfs")
	n.add("link", "a--b", "unknown speed")
	n.add("host", "b", "no %s", "sysfs")
	n.add("link", "b--c", "unknown speed")
	n.add("host", "a", "no %s", "sysfs")
	n.add("port", "a.nic.1", "shared")
	n.add("", "", "slow")
	want := []string{"every host: no sysfs", "links a--b, b--c: unknown speed", "port a.nic.1: shared", "slow"}
	if got := n.sentences(2); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := n.sentences(3)[0]; got != "hosts a, b: no sysfs" {
		t.Errorf("got %q", got)
	}
	if got := new(notes).sentences(1); got == nil || len(got) != 0 {
		t.Errorf("nothing to say is %#v, want an empty list, which JSON writes as []", got)
	}
}
