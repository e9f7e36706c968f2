package export

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
)

// nbdUser is NBD of two programs: nbdkit with its plugin file, and nbdfuse.
func nbdUser() way {
	return way{
		Way:    Way{Name: "nbd-user", Protocol: "nbd"},
		server: []program{{"nbdkit", "nbdkit"}},
		client: []program{{"nbdfuse", "libnbd-bin"}},
		also: func(_ context.Context, role Role) string {
			if role == Client {
				return canFUSE()
			}
			return ""
		},
		export: func(ctx context.Context, s *State, q Request, path string) (Export, error) {
			return s.exportNBD(ctx, q, path)
		},
		attach: func(ctx context.Context, s *State, e Export) (Attached, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			a, err := s.attachNBD(ctx, fmt.Sprintf("nbd://%s/%s", e.At, e.Name), e)
			a.Client += ", in user space"
			return a, err
		},
	}
}

// exportNBD exports a file by an nbdkit of its own, under a random name: NBD has no login, and the filter ip of nbdkit
// 1.32 does not accept an address.
func (s *State) exportNBD(ctx context.Context, q Request, path string) (Export, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, err := output(ctx, nil, "nbdkit", "--version")
	if err != nil {
		return Export{}, err
	}
	at, err := freePort(q.Local)
	if err != nil {
		return Export{}, err
	}
	name := strings.ToLower(rand.Text())
	c, err := s.start(nil, nil, "nbdkit", "--foreground", "--log=stderr", "--ipaddr", at.Addr().String(), "--port",
		fmt.Sprint(at.Port()), "--filter=exportname", "file", path,
		"exportname="+name, "exportname-strict=true", "exportname-list=empty")
	if err != nil {
		return Export{}, err
	}
	err = c.await(ctx, 20*time.Millisecond, func() error {
		conn, err := net.DialTimeout("tcp", at.String(), time.Second)
		if err == nil {
			conn.Close()
		}
		return err
	})
	if err != nil {
		return Export{}, c.failed("it does not serve: %v", err)
	}
	return Export{At: at, Name: name, Server: version + ", plugin file, in user space"}, nil
}

// attachNBD makes a file of an address by nbdfuse. The Client of what it returns names that program alone.
func (s *State) attachNBD(ctx context.Context, uri string, e Export) (a Attached, err error) {
	version, err := output(ctx, nil, "nbdfuse", "--version")
	if err != nil {
		return a, err
	}
	version, _, _ = strings.Cut(version, "\n")
	dir, err := s.folder()
	if err != nil {
		return a, err
	}
	at, err := os.CreateTemp(dir, "unit")
	if err != nil {
		return a, failure.Errorf(failure.CodeInternal, dir, "%v", err)
	}
	at.Close()
	path := filepath.Clean(at.Name())
	c, err := s.start(nil, nil, "nbdfuse", path, uri)
	if err != nil {
		return a, err
	}
	if c.await(ctx, 20*time.Millisecond, func() error { return onFUSE(path) }) != nil {
		return a, c.failed("it made no file of %s on %s", e.Name, e.At)
	}
	info, err := os.Stat(path)
	if err != nil {
		c.kill()
		return a, failure.Errorf(failure.CodeInternal, path, "%v", err)
	}
	size := unit.Bytes(info.Size())
	if err := e.checkSize(size); err != nil {
		c.kill()
		return a, err
	}
	return Attached{Path: path, Kind: block.KindFile, Size: size, Client: version}, nil
}
