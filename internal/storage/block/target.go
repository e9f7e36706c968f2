package block

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// Kinds of a target.
const (
	KindFile   = "file"
	KindFolder = "folder"
	KindDevice = "device"
	KindRemote = "remote"
	KindNop    = "nop"
)

// target is an open target.
type target struct {
	ready  Ready
	file   *os.File
	volume Volume
	marks  []string // files that are removed with it
	grow   bool     // must be laid out
	laid   bool     // is laid out, with this job's data
}

// access is how a file is opened.
type access struct{ write, direct, sync bool }

func openTarget(ctx context.Context, j Job) (*target, error) {
	switch {
	case j.Way == WayNop:
		size := cmp.Or(j.Span, unit.GiB)
		direct := false
		return &target{
			ready: Ready{Kind: KindNop, Path: "nop", Size: size, Direct: &direct, DirectWhy: "nothing is read or written"},
		}, nil
	case j.Remote != nil && j.Remote.Knows(j.Target):
		return openRemote(ctx, j)
	case strings.Contains(j.Target, "://"):
		return nil, input(j.Target, "no target of this kind is known here; give a file, a folder or a device of this host")
	}
	info, err := os.Stat(j.Target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return madeFile(j, KindFile, j.Target)
	case err != nil:
		return nil, openError(j.Target, err)
	case info.IsDir():
		var word [6]byte
		_, _ = rand.Read(word[:]) // it never fails
		return madeFile(j, KindFolder, filepath.Join(j.Target, "linerate-block-"+hex.EncodeToString(word[:])+".tmp"))
	case info.Mode().IsRegular():
		return oldFile(j, info)
	case isDisk(info):
		return openDevice(ctx, j, info)
	}
	return nil, input(j.Target, "it is neither a file, a folder nor a disk (%v)", info.Mode().Type())
}

// madeFile creates the file that a job reads and writes.
func madeFile(j Job, kind, path string) (*target, error) {
	if j.Destroy != "" {
		return nil, input("destroy", "%s is not a device; leave it out", j.Target)
	}
	if j.Span == 0 {
		return nil, input("span", "%s is a file that is made: say how large it is to be", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, openError(path, err)
	}
	t := &target{ready: Ready{Kind: kind, Path: path, Size: j.Span / j.Size * j.Size, Created: true}, grow: true}
	t.marks = append(t.marks, path)
	how, markFile, err := mark(f, path)
	if markFile != "" {
		t.marks = append(t.marks, markFile)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		t.ready.Mark = how
		err = t.open(j)
	}
	if err == nil {
		err = roomFor(t.file, path, t.ready.Size)
	}
	if err != nil {
		_ = t.close()
		return nil, openError(path, err)
	}
	return t, nil
}

// oldFile opens an existing file. Only a marked file is ever written.
func oldFile(j Job, info fs.FileInfo) (*target, error) {
	if j.Destroy != "" {
		return nil, input("destroy", "%s is not a device; leave it out", j.Target)
	}
	t := &target{ready: Ready{Kind: KindFile, Path: j.Target, Size: unit.Bytes(info.Size())}, grow: j.Ours && j.Verify}
	if err := t.open(j); err != nil {
		return nil, openError(j.Target, err)
	}
	how := marked(t.file, j.Target)
	if how == "" && j.Ours {
		how = "what is behind it was made for this job" // attached storage: a file without attributes
	}
	if how == "" && j.writes() {
		_ = t.close()
		return nil, unsafeTo(
			j.Target,
			"this file was not made by linerate, and it is not overwritten; name a path that is not there (a file is made "+
				"and removed), or read alone (read 1)",
		)
	}
	t.ready.Mark = how
	if how != "" && j.writes() {
		if !j.Ours {
			t.ready.Warnings = append(t.ready.Warnings,
				"this file was left by an earlier measurement of linerate; it stays there afterwards")
		}
		if want := j.Span / j.Size * j.Size; want > t.ready.Size {
			if err := roomFor(t.file, j.Target, want-t.ready.Size); err != nil {
				_ = t.close()
				return nil, openError(j.Target, err)
			}
			t.ready.Size, t.grow = want, true
		}
		t.grow = t.grow || j.Verify
	}
	if j.Span > t.ready.Size || t.ready.Size < j.Size {
		_ = t.close()
		return nil, input("span",
			"the file %s has %v, less than the %v that are to be used; lower span, or name another path, where a file is made",
			j.Target, t.ready.Size, max(j.Span, j.Size))
	}
	// storage made for the job is complete, whatever its file system reports
	if on := onMedium(info); on >= 0 && on < int64(t.ready.Size)/10*9 && !t.grow && !j.Ours {
		t.ready.Warnings = append(
			t.ready.Warnings,
			fmt.Sprintf(
				"the file has holes or is compressed: %v of its %v are on the medium, and what is not there is read from nowhere",
				unit.Bytes(on), t.ready.Size),
		)
	}
	return t, nil
}

// open opens the path, bypassing the cache where that is possible and configured, and records what is in effect.
func (t *target) open(j Job) (err error) {
	a := access{write: j.writes() || t.grow, direct: !j.Cached, sync: j.Sync}
	if t.file, t.ready.DirectWhy, err = openDirect(t.ready.Path, a); err != nil {
		return err
	}
	t.describe(j)
	return nil
}

// describe fills in the properties of the open file, and checks the block size against the sector.
func (t *target) describe(j Job) {
	direct := !j.Cached && t.ready.DirectWhy == ""
	t.ready.Direct = &direct
	if j.Cached {
		t.ready.DirectWhy = "the job asks for the cache (cached)"
	}
	where(t.file, &t.ready)
	if direct {
		t.ready.Sector = sectorOf(t.file, t.ready)
	}
	switch fs := t.ready.FileSystem; {
	case fs == "tmpfs" || fs == "ramfs":
		direct, t.ready.DirectWhy = false, fs+" is memory: there is no medium behind the cache"
	case direct && (fs == "zfs" || strings.HasPrefix(fs, "fuse") || fs == "overlay" || fs == "9p"):
		t.ready.Direct, t.ready.DirectWhy = nil, fs+" takes requests around the cache, and whether it keeps to it is not "+
			"known"
	}
	if t.ready.Direct != nil && !*t.ready.Direct && !j.Cached {
		t.ready.Warnings = append(t.ready.Warnings, "requests go through the system's cache: "+t.ready.DirectWhy)
	}
}

// aligned returns an error if the block size does not fit this target.
func (t *target) aligned(j Job) error {
	if s := t.ready.Sector; s > 0 && j.Size%s != 0 {
		return input(
			"size",
			"a block of %v is not a multiple of the sector of %s, %v (the device's limit around the cache); take %v, or go "+
				"through the cache (cached)",
			j.Size,
			t.ready.Path,
			s,
			(j.Size/s+1)*s,
		)
	}
	return nil
}

func openRemote(ctx context.Context, j Job) (*target, error) {
	v, err := j.Remote.Open(ctx, j.Target, j.writes())
	if err != nil {
		return nil, err
	}
	direct := true
	t := &target{
		volume: v,
		ready: Ready{Kind: KindRemote, Path: j.Target, Size: v.Size(), Sector: v.Sector(),
			Identity: v.Identity(), Direct: &direct},
	}
	if j.writes() {
		err = consent(j.Destroy, j.Target, j.Target, v.Identity(), v.Size(), nil)
	}
	if err == nil && j.Span > v.Size() {
		err = input("span", "%s has %v, less than the %v that are to be used; lower span", j.Target, v.Size(), j.Span)
	}
	if err != nil {
		_ = t.close()
		return nil, err
	}
	return t, nil
}

// layChunk is the smallest request of laying out.
const layChunk = unit.MiB

// layOut writes a new file, so that all of it is on the medium, and in verify mode holds the expected data.
func (t *target) layOut(ctx context.Context, j Job, blocks int64) error {
	if err := t.aligned(j); err != nil {
		return err
	}
	if !t.grow {
		return nil
	}
	d := newData(j)
	each := int64(max(layChunk/j.Size, 1)) // blocks
	if err := reserve(t.file, int64(t.ready.Size)); err != nil {
		return full(t.ready.Path, t.ready.Size, err)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, 4)
	for range cap(failures) {
		group.Add(1)
		go func() {
			defer group.Done()
			b, free, err := buffers(int(each * int64(j.Size)))
			if err != nil {
				failures <- err
				return
			}
			defer free()
			for first := next.Add(each) - each; first < blocks && ctx.Err() == nil &&
				len(failures) == 0; first = next.Add(each) - each {
				n := min(each, blocks-first)
				for k := range n {
					one := b[k*int64(j.Size) : (k+1)*int64(j.Size)]
					if !d.check {
						d.prepare(one, uint64(first+k))
					}
					d.fill(one, (first+k)*int64(j.Size), laidOut)
				}
				if _, err := t.file.WriteAt(b[:n*int64(j.Size)], first*int64(j.Size)); err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	group.Wait()
	select {
	case err := <-failures:
		return full(t.ready.Path, t.ready.Size, err)
	default:
	}
	if err := ctx.Err(); err != nil {
		return &failure.Error{Code: failure.CodeStopped, Subject: t.ready.Path,
			Text: fmt.Sprintf("ended while %v were laid out: %v", t.ready.Size, err)}
	}
	if err := t.file.Sync(); err != nil {
		return full(t.ready.Path, t.ready.Size, err)
	}
	t.laid = true
	return nil
}

// call does one request and blocks until it is done.
func (t *target) call(op Op, b []byte, offset int64) (int, error) {
	var n int
	var err error
	if op == OpWrite {
		n, err = t.file.WriteAt(b, offset)
	} else {
		n, err = t.file.ReadAt(b, offset)
	}
	if err == nil || err == io.EOF { // a short count shows the end
		return n, nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return n, err
}

func (t *target) sync(ctx context.Context) error {
	switch {
	case t.volume != nil:
		return t.volume.Flush(ctx)
	case t.file != nil:
		return t.file.Sync()
	}
	return nil
}

// reader reads blocks one after another, after the job.
func (t *target) reader(size int) (read func(offset int64) ([]byte, error), free func(), err error) {
	b, free, err := buffers(size)
	if err != nil {
		return nil, nil, err
	}
	if t.volume != nil {
		return t.remoteReader(b[:size], free)
	}
	return func(offset int64) ([]byte, error) {
		n, err := t.call(OpRead, b[:size], offset)
		if err == nil && n < size {
			err = io.ErrUnexpectedEOF
		}
		return b[:size], err
	}, free, nil
}

// close also removes the files that were created.
func (t *target) close() error {
	var all []error
	if t.volume != nil {
		all = append(all, t.volume.Close())
	}
	if t.file != nil {
		all = append(all, t.file.Close())
		t.file = nil
	}
	for _, m := range t.marks {
		if err := os.Remove(m); !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	t.marks = nil
	return errors.Join(all...)
}
