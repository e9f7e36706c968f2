//go:build unix

package connecttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"linerate/internal/testenv"
)

// Pod is a substitute for kubectl. It is not a cluster: it runs commands on this machine and otherwise behaves as
// `kubectl exec -i` is documented to, and as reports show:
//
//   - flags before exec are kubectl's, those after it exec's, and the command follows --
//     (kubernetes.io/docs/reference/kubectl/generated/kubectl_exec);
//   - without -c it prints "Defaulted container "box" out of: box, side" on standard error;
//   - a command's exit code is its own, after "command terminated with exit code N" on standard error
//     (k8s.io/kubectl/pkg/cmd/util, exec.CodeExitError);
//   - standard input is forwarded to its end (kubernetes/kubernetes pull request 13322);
//   - a command continues when kubectl is killed (kubernetes/kubernetes issue 89031, opencontainers/runc issue 3359),
//     in a session of its own, which runc makes (libcontainer/nsenter/nsexec.c);
//   - a missing program gives "OCI runtime exec failed: .. executable file not found in $PATH: unknown" and exit code
//     126 (docker/for-linux issue 246), or an internal error and 1 (containerd/containerd issue 3597).
type Pod struct {
	Arguments string // file: what it was started with, a line each start
	dir       string
}

const kubectl = `#!/bin/sh
dir=%s
printf '%%s ' "$@" >>"$dir/arguments"; echo >>"$dir/arguments"
if [ -s "$dir/said" ]; then cat "$dir/said" >&2; exit $(cat "$dir/exit"); fi
container=
while [ "$1" != -- ]; do case $1 in -c) container=$2; shift;; esac; shift; done
shift
[ -n "$container" ] || echo 'Defaulted container "box" out of: box, side' >&2
if [ -e "$dir/minimal" ]; then
  echo "OCI runtime exec failed: exec failed: unable to start container process: exec: \"$1\": executable file not found in \$PATH: unknown"
  echo "command terminated with exit code 126" >&2
  exit 126
fi
if [ -e "$dir/cut" ]; then
  mkfifo "$dir/pipe"
  setsid "$@" >"$dir/pipe" &
  sed /begun/q "$dir/pipe"
  echo "E0101 00:00:00.000000 1 v3.go:79] EOF" >&2
  kill -9 -$!
  exit 1
fi
setsid -w "$@"
code=$?
[ $code = 0 ] || echo "command terminated with exit code $code" >&2
exit $code
`

// Kubectl puts the substitute on PATH.
func Kubectl(t *testing.T) *Pod {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		testenv.Missing(t, "the program setsid (Debian: util-linux)")
	}
	testenv.PlainTemp(t)
	dir := t.TempDir()
	k := &Pod{Arguments: filepath.Join(dir, "arguments"), dir: dir}
	k.write(t, "kubectl", fmt.Sprintf(kubectl, dir), 0o700)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return k
}

func (k *Pod) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(k.dir, name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Say makes it print a line and exit with a code for every call.
func (k *Pod) Say(t *testing.T, line string, exit int) {
	k.write(t, "said", line+"\n", 0o600)
	k.write(t, "exit", fmt.Sprint(exit), 0o600)
}

// Minimal makes the container one without any program, and undoes Say.
func (k *Pod) Minimal(t *testing.T) {
	k.write(t, "said", "", 0o600)
	k.write(t, "minimal", "", 0o600)
}

// Cut makes each connection end after a line that begins with the word begun in the command's output.
func (k *Pod) Cut(t *testing.T) { k.write(t, "cut", "", 0o600) }
