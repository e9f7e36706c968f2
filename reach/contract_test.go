//go:build linux

package reach_test

import (
	"testing"

	"linerate/internal/testenv"
	"linerate/reach"
	"linerate/reach/reachtest"
)

func open(t *testing.T, s string) reach.Reach {
	t.Helper()
	spec, err := reach.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reach.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if r.String() != s {
		t.Errorf("the reach %q calls itself %q", s, r)
	}
	return r
}

func TestLocalContract(t *testing.T) {
	testenv.Need(t, testenv.Live)
	reachtest.Suite(t, open(t, "local"))
}

func TestNetnsContract(t *testing.T) {
	reachtest.Suite(t, open(t, "netns "+reachtest.Namespace(t)))
}

func TestSSHContract(t *testing.T) {
	reachtest.Suite(t, open(t, "ssh "+reachtest.SSHD(t).Dest))
}

// With ControlMaster the far sshd outlives each command; cancelling must still kill.
func TestSSHSharedContract(t *testing.T) {
	s := reachtest.SSHD(t)
	s.AppendConfig(t, "ControlMaster auto\nControlPath "+t.TempDir()+"/%C\nControlPersist 20\n")
	reachtest.Ends(t, open(t, "ssh "+s.Dest))
}
