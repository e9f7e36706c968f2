//go:build linux

package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/agent/deploy"
	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
)

// Nothing is sent to a node that sees the program under its path; the program is sent where that path has another file
// or none.
func TestDeploySrun(t *testing.T) {
	c := connecttest.Slurm(t, 2)
	shared := stubAgent(t)
	var nodes []connect.Connection
	for _, name := range c.Nodes {
		r, err := connect.Open(t.Context(), connect.Spec{Kind: connect.Srun, Args: []string{"-w", name}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		nodes = append(nodes, r)
	}
	d, err := deploy.Deploy(t.Context(), nodes[0], deploy.Options{AgentFile: shared})
	if err != nil || strings.Join(d.Argv, " ") != shared+" agent" {
		t.Fatalf("got %q, %v; want the file where it lies", d.Argv, err)
	}
	d.Cleanup()
	if _, err := os.Stat(shared); err != nil {
		t.Fatal(err)
	}

	if err := os.Chmod(filepath.Dir(shared), 0o755); err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(c.Private(), "linerate")
	if out, err := exec.Command("cp", shared, private).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v: %s", err, out)
	}
	for i, before := range []string{"true", "cp /bin/true " + private} { // no file there; another file
		r := nodes[i]
		if out, err := connect.Run(t.Context(), r, nil, "sh", "-c", before); err != nil || out.Exit != 0 {
			t.Fatalf("%s: %v, %s", before, err, out.Stderr)
		}
		d, err := deploy.Deploy(t.Context(), r, deploy.Options{AgentFile: private})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Argv) != 3 || !strings.Contains(d.Argv[0], "/.linerate-") || d.Argv[2] != "--unlink-self" {
			t.Errorf("%s: got %q, want a file that was sent", r, d.Argv)
		}
		if out, err := connect.Run(t.Context(), r, nil, d.Argv...); err != nil || out.Exit != 0 ||
			!strings.HasPrefix(string(out.Stdout), d.Argv[0]) {
			t.Errorf("%s: the agent wrote %q, exit %d, %v", r, out.Stdout, out.Exit, err)
		}
		d.Cleanup()
	}
}
