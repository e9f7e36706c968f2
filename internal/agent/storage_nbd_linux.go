package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// nbdUser is NBD of two programs: nbdkit with its plugin file, and nbdfuse.
func nbdUser() storageWay {
	return storageWay{
		StorageWay: StorageWay{Name: "nbd-user", Protocol: "nbd"},
		server:     []programOf{{"nbdkit", "nbdkit"}},
		client:     []programOf{{"nbdfuse", "libnbd-bin"}},
		also: func(_ context.Context, role storageRole) string {
			if role == StorageClient {
				return canFUSE()
			}
			return ""
		},
		give: func(ctx context.Context, s *server, q giveRequest, path string, _ unit.Bytes) (Given, error) {
			return s.stores.giveNBD(ctx, q, path)
		},
		attach: func(ctx context.Context, s *server, g Given) (Attached, error) {
			s.stores.mu.Lock()
			defer s.stores.mu.Unlock()
			a, err := s.stores.attachNBD(ctx, fmt.Sprintf("nbd://%s/%s", g.At, g.Name), g)
			a.Client += ", in user space"
			return a, err
		},
	}
}

// giveNBD gives a file out by an nbdkit of its own, under a name that nobody guesses: NBD knows no login, and the filter ip of nbdkit 1.32 takes no address.
func (t *storageState) giveNBD(ctx context.Context, q giveRequest, path string) (Given, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	version, err := output(ctx, nil, "nbdkit", "--version")
	if err != nil {
		return Given{}, err
	}
	at, err := freePort(q.Local)
	if err != nil {
		return Given{}, err
	}
	name := strings.ToLower(rand.Text())
	c, err := t.start(nil, nil, "nbdkit", "--foreground", "--log=stderr", "--ipaddr", at.Addr().String(), "--port", fmt.Sprint(at.Port()), "--filter=exportname", "file", path,
		"exportname="+name, "exportname-strict=true", "exportname-list=empty")
	if err != nil {
		return Given{}, err
	}
	for end := time.Now().Add(programMoment); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", at.String(), time.Second)
		if err == nil {
			conn.Close()
			break
		}
		if c.ended() || time.Now().After(end) || ctx.Err() != nil {
			c.kill()
			return Given{}, c.failed("it does not serve: %v", err)
		}
	}
	return Given{At: at, Name: name, Server: version + ", plugin file, in user space"}, nil
}

// attachNBD makes a file of an address by nbdfuse. Its Client names that program alone.
func (t *storageState) attachNBD(ctx context.Context, uri string, g Given) (a Attached, err error) {
	version, err := output(ctx, nil, "nbdfuse", "--version")
	if err != nil {
		return a, err
	}
	version, _, _ = strings.Cut(version, "\n")
	dir, err := t.folder()
	if err != nil {
		return a, err
	}
	fail := func(at string, err error) (Attached, error) {
		return a, &traffic.Error{Code: traffic.CodeInternal, Subject: at, Text: err.Error()}
	}
	at, err := os.CreateTemp(dir, "unit")
	if err != nil {
		return fail(dir, err)
	}
	at.Close()
	path := filepath.Clean(at.Name())
	c, err := t.start(nil, nil, "nbdfuse", path, uri)
	if err != nil {
		return a, err
	}
	for end := time.Now().Add(programMoment); onFUSE(path) != nil; time.Sleep(20 * time.Millisecond) {
		if c.ended() || time.Now().After(end) || ctx.Err() != nil {
			c.kill()
			return a, c.failed("it made no file of %s on %s", g.Name, g.At)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		c.kill()
		return fail(path, err)
	}
	if size := unit.Bytes(info.Size()); size < g.Size {
		c.kill()
		return a, &traffic.Error{Code: traffic.CodeInput, Subject: g.Name, Text: fmt.Sprintf("the unit has %v, and %v of it are to be used; lower span, or give a larger one out", size, g.Size)}
	}
	return Attached{Path: path, Kind: block.KindFile, Size: unit.Bytes(info.Size()), Client: version}, nil
}
