package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// newSource makes files of data that does not compress, or takes the file that is there.
func newSource(ctx context.Context, q CopyEnd) (*copyEnd, error) {
	dir := q.Path
	if dir == TemporaryFolder {
		dir = temporaryFolder()
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fileError(dir, err, "; name the file that is to be copied, or a folder, in which one is made")
	}
	if info.Mode().IsRegular() {
		if !q.Take {
			return nil, &traffic.Error{Code: traffic.CodeUnsafe, Subject: dir, Text: "it is a file, which would be read and given to another host; name a folder, in which one is made, or allow it with --allow-source"}
		}
		return takenSource(ctx, dir, info, q)
	}
	streams, files := max(q.Streams, 1), max(q.Files, q.Streams, 1)
	if files > MostCopyFiles {
		return nil, &traffic.Error{Code: traffic.CodeLimit, Subject: "files", Text: fmt.Sprintf("%d are above %d, the agent's limit", files, MostCopyFiles)}
	}
	if q.Amount < 1 {
		return nil, &traffic.Error{Code: traffic.CodeInput, Subject: "amount", Text: "how much is to be copied is not said"}
	}
	if err := room(dir, q.Amount, "are to be made there"); err != nil {
		return nil, err
	}
	e, err := ownFolder(dir, q.Open)
	if err != nil {
		return nil, err
	}
	e.source = true
	if err := e.fill(ctx, q, streams, files); err != nil {
		e.remove()
		return nil, err
	}
	return e, nil
}

// fill makes the files of a source, and keeps their checksums.
func (e *copyEnd) fill(ctx context.Context, q CopyEnd, streams, files int) error {
	sums := newSummer()
	b := make([]byte, 1<<20)
	size, more := int64(q.Amount)/int64(files), int64(q.Amount)%int64(files)
	for i := range files {
		stream := i % streams
		dir := filepath.Join(e.placed.Folder, CopyStreamFolder(stream))
		if i < streams {
			if err := e.mkdir(dir); err != nil {
				return fileError(dir, err, "")
			}
		}
		n := size
		if int64(i) < more {
			n++
		}
		var seed [32]byte
		copy(seed[:], fmt.Sprintf("%d/%d", q.Seed, i))
		path := filepath.Join(dir, copyFile(i))
		sum, err := made(ctx, path, n, mathrand.NewChaCha8(seed), b)
		if err == nil {
			err = e.opens(path, 0o666)
		}
		if err != nil {
			return err
		}
		sums.add(CopySum{Name: CopyStreamFolder(stream) + "/" + copyFile(i), Size: n, Sum: sum})
	}
	sums.into(&e.placed)
	return nil
}

// made writes a file of random data onto its medium, and returns its checksum.
func made(ctx context.Context, path string, n int64, data io.Reader, b []byte) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fileError(path, err, "")
	}
	h := sha256.New()
	for left := n; left > 0 && err == nil; {
		part := b[:min(left, int64(len(b)))]
		_, _ = io.ReadFull(data, part)
		h.Write(part)
		if _, err = f.Write(part); err == nil {
			err = ctx.Err()
		}
		left -= int64(len(part))
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if ctx.Err() != nil {
		return "", stopped(ctx)
	}
	return hex.EncodeToString(h.Sum(nil)), fileError(path, err, "")
}

// takenSource is a file of the user's, which is only read.
func takenSource(ctx context.Context, path string, info fs.FileInfo, q CopyEnd) (*copyEnd, error) {
	if q.Streams > 1 || q.Files > 1 {
		return nil, &traffic.Error{Code: traffic.CodeInput, Subject: path, Text: "it is one file; several streams or files are made in a folder: name one"}
	}
	if q.Exact && int64(q.Amount) != info.Size() {
		return nil, &traffic.Error{Code: traffic.CodeInput, Subject: path, Text: fmt.Sprintf("it has %v, and %v are asked for; leave amount out, or name a folder, in which a file of that size is made", unit.Bytes(info.Size()), q.Amount)}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	e := &copyEnd{source: true}
	e.placed.Folder, e.placed.Name = filepath.Dir(path), filepath.Base(path)
	e.place()
	sums := newSummer()
	one, err := summed(ctx, path, true)
	if err != nil {
		return nil, err
	}
	one.Name = CopyStreamFolder(0) + "/" + e.placed.Name
	sums.add(one)
	sums.into(&e.placed)
	return e, nil
}
