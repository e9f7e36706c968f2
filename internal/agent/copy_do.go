package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// paths are the files of an end: those of its streams, or the one that was there.
func (e *copyEnd) paths() (all []string, err error) {
	if e.placed.Name != "" {
		return []string{filepath.Join(e.placed.Folder, e.placed.Name)}, nil
	}
	err = filepath.WalkDir(e.placed.Folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() { // others may write into a folder that a server of theirs gives out
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		return nil, fileError(e.placed.Folder, err, "")
	}
	return all, nil
}

// do is what is asked of an end that is there.
func (e *copyEnd) do(ctx context.Context, op string) (CopyPlaced, error) {
	out := CopyPlaced{End: e.placed.End, Folder: e.placed.Folder, Name: e.placed.Name, Place: e.placed.Place}
	if op == CopyClear {
		return out, e.clear()
	}
	all, err := e.paths()
	if err != nil {
		return out, err
	}
	switch op {
	case CopyCold, CopyWarm:
		err = e.cache(ctx, op, all, &out)
	case CopySync:
		err = e.sync(ctx, all, &out)
	case CopySums, CopySizes:
		sums := newSummer()
		for _, path := range all {
			one, err := summed(ctx, path, op == CopySums)
			if err != nil {
				return out, err
			}
			one.Name = strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(path, e.placed.Folder)), "/")
			sums.add(one)
		}
		sums.into(&out)
	default:
		err = &traffic.Error{Code: traffic.CodeInput, Subject: "op", Text: fmt.Sprintf("%.40q is nothing that is done with an end of a copy", op)}
	}
	return out, err
}

// clear removes what arrived at a target.
func (e *copyEnd) clear() error {
	if e.source || !e.own {
		return &traffic.Error{Code: traffic.CodeUnsafe, Subject: e.placed.Folder, Text: "it is what is copied, and stays"}
	}
	streams, err := os.ReadDir(e.placed.Folder)
	if err != nil {
		return fileError(e.placed.Folder, err, "")
	}
	for _, s := range streams {
		dir := filepath.Join(e.placed.Folder, s.Name())
		if err = os.RemoveAll(dir); err == nil {
			err = e.mkdir(dir)
		}
		if err != nil {
			return fileError(dir, err, "")
		}
	}
	return nil
}

// sync brings the files of an end, and their folders, onto the medium.
func (e *copyEnd) sync(ctx context.Context, all []string, out *CopyPlaced) error {
	began := time.Now()
	folders := map[string]bool{}
	for _, path := range all {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows wants to write what it is to flush
		if errors.Is(err, fs.ErrPermission) {
			f, err = os.Open(path) // what the user of a share wrote is that user's
		}
		if err == nil {
			err = f.Sync()
			if e := f.Close(); err == nil {
				err = e
			}
		}
		if err != nil {
			return fileError(path, err, "")
		}
		folders[filepath.Dir(path)] = true
	}
	for dir := range folders {
		if f, err := os.Open(dir); err == nil {
			_ = f.Sync() // not every file system has one of a folder
			_ = f.Close()
		}
	}
	out.Files, out.Seconds = len(all), time.Since(began).Seconds()
	return nil
}

// Networked says whether a file system is another host's, which has a cache of its own.
func Networked(fs string) bool {
	return slices.Contains([]string{"cifs", "smb3", "smbfs", "nfs", "nfs4", "9p", "ceph", "lustre", "beegfs", "gpfs", "afs", "fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.rclone", "fuse.s3fs"}, fs)
}

// cache lets the system's cache go of the files, or has them read into it, and says what is in effect then.
func (e *copyEnd) cache(ctx context.Context, op string, all []string, out *CopyPlaced) error {
	held, why := unit.Bytes(0), ""
	if fs := e.placed.FileSystem; fs == "tmpfs" || fs == "ramfs" {
		cold := false
		out.Cache, out.Cold = fs+" is memory: there is no medium behind the cache", &cold
		return nil
	}
	for _, path := range all {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		f, err := os.Open(path)
		if err != nil {
			return fileError(path, err, "")
		}
		if op == CopyWarm {
			_, err = io.CopyBuffer(io.Discard, stoppable{ctx, f}, make([]byte, 1<<20))
		} else if err = f.Sync(); err == nil || !e.own {
			err = block.DropCached(f)
		}
		if err != nil && why == "" {
			why = err.Error()
		}
		n, err := block.Cached(f)
		if held += n; err != nil && why == "" {
			why = "how much of it is in the cache is not known: " + err.Error()
		}
		_ = f.Close()
	}
	switch {
	case why != "" && op == CopyWarm:
		out.Cache = "read once before (" + why + ")"
	case why != "":
		out.Cache = "not known: " + why
	case op == CopyWarm:
		cold := false
		out.Cache, out.Cold = fmt.Sprintf("warm: read before, %v of it are in memory", held), &cold
	default:
		// A page or two of the file system's own stay now and then.
		cold := float64(held) <= 0.01*float64(e.placed.Bytes)
		out.Cache, out.Cold = "cold: dropped from the cache, nothing of it is left there", &cold
		if held > 0 {
			out.Cache = fmt.Sprintf("cold: dropped from the cache, %v of it are left there", held)
		}
		if !cold {
			out.Cache = fmt.Sprintf("not cold: the cache keeps %v of it", held)
		} else if fs := e.placed.FileSystem; Networked(fs) {
			out.Cache, out.Cold = fmt.Sprintf("not known: dropped from the cache of this host, %v of it are left there; what the other host of this %s has in its memory is not known", held, fs), nil
		}
	}
	return nil
}
