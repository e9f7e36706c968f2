package lab

import (
	"slices"
	"testing"
)

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
