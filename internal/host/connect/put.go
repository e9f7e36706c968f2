package connect

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// farPut receives a file on standard input: $1 path, $2 mode, $3 hash, $4 a temporary name. It exits with 3 if the
// system has no program for the hash, and with 4 if the hash differs.
const farPut = `umask 077; trap 'rm -f "$4"' EXIT HUP INT TERM; cat >"$4" && chmod "$2" "$4" || exit 2
if command -v sha256sum >/dev/null; then h=$(sha256sum <"$4")
elif command -v sha256 >/dev/null; then h=$(sha256 -q <"$4")
elif command -v shasum >/dev/null; then h=$(shasum -a 256 <"$4")
elif command -v openssl >/dev/null; then h=$(openssl dgst -sha256 -r <"$4")
else exit 3; fi
case $h in "$3"*) mv -f "$4" "$1" || exit 2;; *) echo "sha256 ${h%% *}" >&2; exit 4;; esac`

// PutStream writes data to a file on a Unix host. The file appears under its name only when its SHA-256, computed on
// the host, is sha256 (in hex). Until then it has a temporary name in the same folder, and is removed if something
// fails. Errors are of type *Error.
func PutStream(ctx context.Context, r Connection, data io.Reader, sha256, path string, mode fs.FileMode) error {
	var errs tail
	argv := []string{"sh", "-c", farPut, "sh", path, fmt.Sprintf("%o", mode.Perm()), sha256,
		path + "." + rand.Text()[:8] + ".part"}
	p, err := r.Start(ctx, Command{Argv: argv, Stdin: data, Stderr: &errs})
	if err != nil {
		return err
	}
	exit, err := p.Wait()
	if err != nil {
		return err
	}
	e := &Error{Connection: r.String(), Command: []string{"put", path}, Exit: exit, Output: lastLines(errs.String(), 3)}
	switch exit {
	case 0:
		return nil
	case 3:
		e.Cause, e.Try = errors.New("no program there computes SHA-256"), "install one of sha256sum, sha256, shasum, openssl"
	case 4:
		e.Cause, e.Try = fmt.Errorf("the file arrived changed: its SHA-256 is not %s",
			sha256), "once more; if it stays: look at the host's memory and storage"
	default:
		e.Cause = fmt.Errorf("write %s", path)
	}
	return e
}
