package connect

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Put writes data to a file on the host. The file appears under its name only when its SHA-256, computed on the far
// side, is that of data; until then it has another name beside it, which is removed again when something fails.
// Errors are of type *Error.
func Put(ctx context.Context, r Reach, data []byte, path string, mode fs.FileMode) error {
	sum := sha256.Sum256(data)
	if SameMachine(r) {
		if err := putHere(data, path, mode); err != nil {
			return &Error{Reach: r.String(), Exit: -1, Cause: fmt.Errorf("write %s: %w", path, err)}
		}
		return nil
	}
	return PutStream(ctx, r, bytes.NewReader(data), hex.EncodeToString(sum[:]), path, mode)
}

// farPut receives a file on standard input: $1 path, $2 mode, $3 hash, $4 a name for the time until then. It exits
// with 3 when the system has no program for the hash and with 4 when the hash is another one.
const farPut = `umask 077; trap 'rm -f "$4"' EXIT HUP INT TERM; cat >"$4" && chmod "$2" "$4" || exit 2
if command -v sha256sum >/dev/null; then h=$(sha256sum <"$4")
elif command -v sha256 >/dev/null; then h=$(sha256 -q <"$4")
elif command -v shasum >/dev/null; then h=$(shasum -a 256 <"$4")
elif command -v openssl >/dev/null; then h=$(openssl dgst -sha256 -r <"$4")
else exit 3; fi
case $h in "$3"*) mv -f "$4" "$1" || exit 2;; *) echo "sha256 ${h%% *}" >&2; exit 4;; esac`

// PutStream is Put for data that need not be in memory, to a Unix host that is not this machine; sha256 is in hex.
func PutStream(ctx context.Context, r Reach, data io.Reader, sha256, path string, mode fs.FileMode) error {
	var errs tail
	argv := []string{"sh", "-c", farPut, "sh", path, fmt.Sprintf("%o", mode.Perm()), sha256, path + "." + rand.Text()[:8] + ".part"}
	p, err := r.Start(ctx, Command{Argv: argv, Stdin: data, Stderr: &errs})
	if err != nil {
		return err
	}
	exit, err := p.Wait()
	if err != nil {
		return err
	}
	e := &Error{Reach: r.String(), Command: []string{"put", path}, Exit: exit, Output: lastLines(errs.String(), 3)}
	switch exit {
	case 0:
		return nil
	case 3:
		e.Cause, e.Try = errors.New("no program there computes SHA-256"), "install one of sha256sum, sha256, shasum, openssl"
	case 4:
		e.Cause, e.Try = fmt.Errorf("the file arrived changed: its SHA-256 is not %s", sha256), "once more; if it stays: look at the host's memory and storage"
	default:
		e.Cause = fmt.Errorf("write %s", path)
	}
	return e
}

func putHere(data []byte, path string, mode fs.FileMode) (err error) {
	dir, name := filepath.Split(path)
	if strings.HasSuffix(path, "/") || name == "" {
		return errors.New("it is a folder's name")
	}
	f, err := os.CreateTemp(filepath.Clean(dir+"."), name+".*.part")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	back, err := os.ReadFile(f.Name())
	if err != nil {
		return err
	}
	if !bytes.Equal(back, data) {
		return errors.New("the file reads back changed; look at the machine's memory and storage")
	}
	return os.Rename(f.Name(), path)
}
