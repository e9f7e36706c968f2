package agent

import (
	"context"
	"fmt"
	"path/filepath"

	"linerate/internal/host/connect"
)

// seenProgram ends with 0 when the file $1 can be started there and has the SHA-256 $2. A host without a program for the
// hash is sent the agent, and says there what it lacks. On a file system mounted noexec test -x is false.
const seenProgram = `[ -f "$1" ] && [ -x "$1" ] || exit 1
if command -v sha256sum >/dev/null; then h=$(sha256sum <"$1")
elif command -v shasum >/dev/null; then h=$(shasum -a 256 <"$1")
elif command -v openssl >/dev/null; then h=$(openssl dgst -sha256 -r <"$1")
else exit 1; fi
case $h in "$2"*) ;; *) exit 1;; esac`

// sameProgram says whether a host sees the program under its own path: then nothing needs to be sent there. That another
// version lies under the same path of the host's own disk is why its hash is computed there.
func sameProgram(ctx context.Context, r connect.Reach, p program) (path string, there bool, err error) {
	if path, err = filepath.Abs(p.path); err != nil {
		return "", false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, askTimeout, fmt.Errorf("no answer within %v", askTimeout))
	defer cancel()
	out, err := connect.Run(ctx, r, nil, "sh", "-c", seenProgram, "sh", path, p.sha256)
	return path, err == nil && out.Exit == 0, err
}
