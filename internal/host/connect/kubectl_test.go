//go:build unix

package connect_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
)

func openPod(t *testing.T, s string) (connect.Connection, error) {
	t.Helper()
	spec, err := connect.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return connect.Open(ctx, spec)
}

func TestKubectlContract(t *testing.T) {
	testenv.Need(t, testenv.Live)
	connecttest.Kubectl(t)
	r, err := openPod(t, "kubectl -n lab --context test -c box web-0")
	if err != nil {
		t.Fatal(err)
	}
	connecttest.SuiteOf(t, r, 8<<20)
	if r.String() != "kubectl -n lab --context test -c box web-0" {
		t.Errorf("it calls itself %q", r)
	}
}

func TestKubectlArguments(t *testing.T) {
	k := connecttest.Kubectl(t)
	if _, err := openPod(t, "kubectl -n lab -c box --context=test pod/web-0"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(k.Arguments)
	if want := "-n lab --context test exec -i -c box pod/web-0 -- sh -c "; err != nil ||
		!strings.HasPrefix(string(text), want) {
		t.Errorf("kubectl got %.120q, want %q: %v", text, want, err)
	}
}

// The messages of kubectl, the API server and a container's runtime, and the next step for each. Sources:
// connecttest.Kubectl.
func TestKubectlWords(t *testing.T) {
	k := connecttest.Kubectl(t)
	for _, c := range []struct{ said, words, try string }{
		{`Error from server (NotFound): pods "web-9" not found`, `pods "web-9" not found`, "kubectl -n lab get pods"},
		{`Error from server (NotFound): namespaces "lab" not found`, "namespaces", "kubectl get namespaces"},
		{`error: unable to upgrade connection: container not found ("box")`, "container not found", "get pod web-9 -o wide"},
		{`Error from server (BadRequest): container bux is not valid for pod web-9`, "bux", "the names for -c"},
		{`Error from server (Forbidden): pods "web-9" is forbidden: User "me" cannot create resource "pods/exec" in API group "" in the namespace "lab"`, "pods/exec",
			"auth can-i create pods/exec"},
		{`error: You must be logged in to the server (Unauthorized)`, "Unauthorized", "log in"},
		{`Error in configuration: context was not found for specified context: test`, "context was not found",
			"get-contexts"},
		{`The connection to the server localhost:8080 was refused - did you specify the right host or port?`, "was refused",
			"current-context"},
		{`Unable to connect to the server: dial tcp: lookup api.invalid: no such host`, "no such host", "config view"},
		{`error: cannot exec into a container in a completed pod; current phase is Succeeded`, "completed pod",
			"a pod that runs"},
		{`error: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "x": OCI runtime exec failed: exec failed: unable to start container process: exec: "sh": executable file not found in $PATH: unknown`,
			"the container has no shell", "agent --listen"},
		{"something quite new", "something quite new", "exec -i web-9 -- true by hand"},
	} {
		k.Say(t, c.said, 1)
		_, err := openPod(t, "kubectl -n lab web-9")
		var e *connect.Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), c.words) || !strings.Contains(e.Try, c.try) ||
			!strings.HasPrefix(e.Error(), "kubectl -n lab web-9: ") {
			t.Errorf("%s:\n%v; want %q and a try with %q", c.said, err, c.words, c.try)
		}
	}
	k.Minimal(t)
	if _, err := openPod(t, "kubectl web-0"); err == nil ||
		!strings.Contains(err.Error(), "the container has no shell") {
		t.Errorf("a container without a shell: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := openPod(t, "kubectl web-0"); err == nil || errors.Is(err, connect.ErrNoProgram) ||
		!strings.Contains(err.Error(), "no kubectl in PATH") {
		t.Errorf("without a kubectl: %v", err)
	}
}

// kubectl's message about the container is not output of the program, and the early end of a connection is not an exit
// code.
func TestKubectlOwnWords(t *testing.T) {
	k := connecttest.Kubectl(t)
	r, err := openPod(t, "kubectl web-0")
	if err != nil {
		t.Fatal(err)
	}
	out, err := connect.Run(t.Context(), r, nil, "sh", "-c", "echo mine >&2; exit 4")
	if err != nil || out.Exit != 4 || string(out.Stderr) != "mine\n" {
		t.Errorf("got %q, exit %d, %v: kubectl's own words do not belong there", out.Stderr, out.Exit, err)
	}
	k.Cut(t)
	out, err = connect.Run(t.Context(), r, nil, "sh", "-c", "echo begun; sleep 60")
	var e *connect.Error
	if out.Exit != -1 || !errors.As(err, &e) ||
		!strings.Contains(err.Error(), "the connection ended before the command") ||
		string(out.Stdout) != "begun\n" {
		t.Errorf("a cut connection: %q, %d, %v", out.Stdout, out.Exit, err)
	}
}
