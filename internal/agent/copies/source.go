package copies

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// newSource makes files of data that does not compress, or takes the existing file.
func newSource(ctx context.Context, q EndRequest) (*End, error) {
	dir := q.Path
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: dir,
			Text: "it is not there; name the file that is to be copied, or a folder, in which one is made"}
	}
	if err != nil {
		return nil, fileError(dir, err)
	}
	if info.Mode().IsRegular() {
		if !q.Take {
			return nil, &failure.Error{Code: failure.CodeUnsafe, Subject: dir,
				Text: "it is a file, which would be read and given to another host; name a folder, in which one is made, or " +
					"allow it with --allow-source"}
		}
		return existingSource(ctx, dir, info, q)
	}
	streams, files := max(q.Streams, 1), max(q.Files, q.Streams, 1)
	if files > mostFiles {
		return nil, failure.Errorf(failure.CodeLimit, "files", "%d are above %d, the agent's limit", files, mostFiles)
	}
	if q.Amount < 1 {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: "amount", Text: "how much is to be copied is not said"}
	}
	if err := checkSpace(dir, q.Amount, "are to be made there"); err != nil {
		return nil, err
	}
	e, err := newFolder(dir, q.Open)
	if err != nil {
		return nil, err
	}
	e.source = true
	if err := e.fill(ctx, q, streams, files); err != nil {
		e.Remove()
		return nil, err
	}
	return e, nil
}

// fill makes the files of a source and keeps their checksums.
func (e *End) fill(ctx context.Context, q EndRequest, streams, files int) error {
	sums := make([]Sum, files)
	b := make([]byte, 1<<20)
	size, more := int64(q.Amount)/int64(files), int64(q.Amount)%int64(files)
	for i := range files {
		folder := StreamFolder(i % streams)
		dir := filepath.Join(e.placed.Folder, folder)
		if i < streams {
			if err := e.mkdir(dir); err != nil {
				return fileError(dir, err)
			}
		}
		n := size
		if int64(i) < more {
			n++
		}
		var seed [32]byte
		copy(seed[:], fmt.Sprintf("%d/%d", q.Seed, i))
		path := filepath.Join(dir, fileName(i))
		sum, err := writeRandom(ctx, path, n, mathrand.NewChaCha8(seed), b)
		if err == nil {
			err = e.setOwner(path, 0o666)
		}
		if err != nil {
			return err
		}
		sums[i] = Sum{Name: folder + "/" + fileName(i), Size: n, Sum: sum}
	}
	e.placed.setSums(sums)
	return nil
}

// writeRandom writes a file of random data to the drive, and returns its checksum.
func writeRandom(ctx context.Context, path string, n int64, data io.Reader, b []byte) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fileError(path, err)
	}
	h := sha256.New()
	if _, err = io.CopyBuffer(io.MultiWriter(f, h), stoppable{ctx, io.LimitReader(data, n)}, b); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if ctx.Err() != nil {
		return "", process.Stopped()
	}
	return hex.EncodeToString(h.Sum(nil)), fileError(path, err)
}

// existingSource is a file of the user's, which is only read.
func existingSource(ctx context.Context, path string, info fs.FileInfo, q EndRequest) (*End, error) {
	if q.Streams > 1 || q.Files > 1 {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: path,
			Text: "it is one file; several streams or files are made in a folder: name one"}
	}
	if q.Exact && int64(q.Amount) != info.Size() {
		return nil, failure.Errorf(failure.CodeInput, path,
			"it has %v, and %v are asked for; leave amount out, or name a folder, in which a file of that size is made",
			unit.Bytes(info.Size()), q.Amount)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	e := &End{source: true}
	e.placed.Folder, e.placed.Name = filepath.Dir(path), filepath.Base(path)
	e.place()
	sum, err := sumOf(ctx, path, true)
	if err != nil {
		return nil, err
	}
	sum.Name = StreamFolder(0) + "/" + e.placed.Name
	e.placed.setSums([]Sum{sum})
	return e, nil
}
