//go:build linux

package connect_test

import (
	"os/exec"
	"strings"
	"testing"

	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
)

func open(t *testing.T, s string) connect.Connection {
	t.Helper()
	spec, err := connect.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := connect.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if r.String() != s {
		t.Errorf("the connection %q calls itself %q", s, r)
	}
	return r
}

func TestLocalContract(t *testing.T) {
	testenv.Need(t, testenv.Live)
	connecttest.Suite(t, open(t, "local"))
}

func TestNetnsContract(t *testing.T) {
	connecttest.Suite(t, open(t, "netns "+connecttest.Namespace(t)))
}

func TestSSHContract(t *testing.T) {
	connecttest.Suite(t, open(t, "ssh "+connecttest.SSHD(t).Dest))
}

// The same with csh as the login shell, as root has it on older FreeBSD and on TrueNAS CORE.
func TestSSHContractOfCsh(t *testing.T) {
	testenv.Need(t, testenv.Live)
	tcsh, err := exec.LookPath("tcsh")
	if err != nil {
		testenv.Missing(t, "the shell tcsh (Debian: tcsh)")
	}
	s := connecttest.SSHDAfter(t, `t=$(mktemp) && sed "s|^\($(id -un):.*:\)[^:]*$|\1`+tcsh+`|" /etc/passwd >$t && `+
		`mount --bind $t /etc/passwd && rm $t`)
	r := open(t, "ssh "+s.Dest)
	out, err := connect.Run(t.Context(), r, nil, "sh", "-c", "i=$(id -un)\ngrep \"^$i:\" /etc/passwd")
	if err != nil || !strings.Contains(string(out.Stdout), tcsh) {
		t.Fatalf("the login shell is not tcsh: %q, %v", out.Stdout, err)
	}
	connecttest.Suite(t, r)
}

// With ControlMaster the far sshd outlives each command; cancelling must still kill.
func TestSSHSharedContract(t *testing.T) {
	s := connecttest.SSHD(t)
	s.AppendConfig(t, "ControlMaster auto\nControlPath "+t.TempDir()+"/%C\nControlPersist 20\n")
	connecttest.Ends(t, open(t, "ssh "+s.Dest))
}
