package copies

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

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
)

// paths are the files of an end: those of its streams, or the existing file.
func (e *End) paths() (all []string, err error) {
	if e.placed.Name != "" {
		return []string{filepath.Join(e.placed.Folder, e.placed.Name)}, nil
	}
	err = filepath.WalkDir(e.placed.Folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() { // a user's own server may let others write to the folder that it shares
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		return nil, fileError(e.placed.Folder, err)
	}
	return all, nil
}

// Do carries out an operation on an end.
func (e *End) Do(ctx context.Context, op string) (Placed, error) {
	out := Placed{End: e.placed.End, Folder: e.placed.Folder, Name: e.placed.Name, Place: e.placed.Place}
	if op == Clear {
		return out, e.clear()
	}
	all, err := e.paths()
	if err != nil {
		return out, err
	}
	switch op {
	case Cold, Warm:
		err = e.cache(ctx, op, all, &out)
	case Sync:
		err = e.sync(ctx, all, &out)
	case Sums, Sizes:
		sums := make([]Sum, len(all))
		for i, path := range all {
			if sums[i], err = sumOf(ctx, path, op == Sums); err != nil {
				return out, err
			}
			sums[i].Name = strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(path, e.placed.Folder)), "/")
		}
		out.setSums(sums)
	default:
		err = failure.Errorf(failure.CodeInput, "op", "%.40q is nothing that is done with an end of a copy", op)
	}
	return out, err
}

// clear removes the files that arrived at a target.
func (e *End) clear() error {
	if e.source || !e.own {
		return &failure.Error{Code: failure.CodeUnsafe, Subject: e.placed.Folder, Text: "it is what is copied, and stays"}
	}
	streams, err := os.ReadDir(e.placed.Folder)
	if err != nil {
		return fileError(e.placed.Folder, err)
	}
	for _, s := range streams {
		dir := filepath.Join(e.placed.Folder, s.Name())
		if err = os.RemoveAll(dir); err == nil {
			err = e.mkdir(dir)
		}
		if err != nil {
			return fileError(dir, err)
		}
	}
	return nil
}

// sync writes the files of an end, and their folders, to the drive.
func (e *End) sync(ctx context.Context, all []string, out *Placed) error {
	began := time.Now()
	folders := map[string]bool{}
	for _, path := range all {
		if ctx.Err() != nil {
			return process.Stopped()
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows flushes only what is open for writing
		if errors.Is(err, fs.ErrPermission) {
			f, err = os.Open(path) // the files belong to the user of a share
		}
		if err == nil {
			err = f.Sync()
			if e := f.Close(); err == nil {
				err = e
			}
		}
		if err != nil {
			return fileError(path, err)
		}
		folders[filepath.Dir(path)] = true
	}
	for dir := range folders {
		if f, err := os.Open(dir); err == nil {
			_ = f.Sync() // some file systems cannot sync a folder
			_ = f.Close()
		}
	}
	out.Files, out.Seconds = len(all), time.Since(began).Seconds()
	return nil
}

// Networked reports whether a file system is another host's, which has a cache of its own.
func Networked(fs string) bool {
	return slices.Contains([]string{"cifs", "smb3", "smbfs", "nfs", "nfs4", "9p", "ceph", "lustre", "beegfs", "gpfs",
		"afs", "fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.rclone", "fuse.s3fs"}, fs)
}

// cache drops the files from the system's cache, or reads them into it, and fills in what is in effect then.
func (e *End) cache(ctx context.Context, op string, all []string, out *Placed) error {
	held, why := unit.Bytes(0), ""
	if fs := e.placed.FileSystem; fs == "tmpfs" || fs == "ramfs" {
		cold := false
		out.Cache, out.Cold = fs+" is memory: there is no medium behind the cache", &cold
		return nil
	}
	for _, path := range all {
		if ctx.Err() != nil {
			return process.Stopped()
		}
		f, err := os.Open(path)
		if err != nil {
			return fileError(path, err)
		}
		if op == Warm {
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
	case why != "" && op == Warm:
		out.Cache = "read once before (" + why + ")"
	case why != "":
		out.Cache = "not known: " + why
	case op == Warm:
		cold := false
		out.Cache, out.Cold = fmt.Sprintf("warm: read before, %v of it are in memory", held), &cold
	default:
		// A page or two of the file system's own may stay in the cache.
		cold := float64(held) <= 0.01*float64(e.placed.Bytes)
		out.Cache, out.Cold = "cold: dropped from the cache, nothing of it is left there", &cold
		if held > 0 {
			out.Cache = fmt.Sprintf("cold: dropped from the cache, %v of it are left there", held)
		}
		if !cold {
			out.Cache = fmt.Sprintf("not cold: the cache keeps %v of it", held)
		} else if fs := e.placed.FileSystem; Networked(fs) {
			out.Cache, out.Cold = fmt.Sprintf("not known: dropped from the cache of this host, %v of it are left there; what "+
				"the other host of this %s has in its memory is not known", held, fs), nil
		}
	}
	return nil
}
