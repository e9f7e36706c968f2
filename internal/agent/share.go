package agent

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"linerate/internal/traffic"
)

// What a folder is given out over.
const (
	shareHTTP = "http" // linerate's own server
	shareSMB  = "smb"  // Samba's
	shareFTP  = "ftp"  // the user's own
	shareNFS  = "nfs"  // nfs-ganesha's
)

// Share is what an agent is asked to give out to another host, until its controller is gone.
type Share struct {
	Kind   string     `json:"kind"` // http, smb, nfs
	Folder string     `json:"folder"`
	Local  netip.Addr `json:"local"` // that it listens at
	Peer   netip.Addr `json:"peer"`  // of nfs: who alone may come in
	End    uint64     `json:"end"`   // whose folder it is: no other is given out
}

// Shared is a folder that is given out.
type Shared struct {
	Kind     string `json:"kind"`
	At       string `json:"at"` // http, ftp, nfs: a URL; smb: //HOST/SHARE
	Port     int    `json:"port,omitempty"`
	Prefix   string `json:"prefix,omitempty"` // a folder in it
	Domain   string `json:"domain,omitempty"` // of smb: the user's
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	What     string `json:"what,omitempty"` // which server it is, for the record
	// Theirs: the user's own server. It is asked once before anything is copied, so that a wrong password is tried once, whatever the number of streams.
	Theirs bool `json:"theirs,omitempty"`
}

// url is that of a file.
func (s Shared) url(folder, name string) string {
	out := strings.TrimSuffix(s.At, "/")
	for _, part := range strings.Split(strings.TrimPrefix(path.Join(s.in(folder), name), "/"), "/") {
		out += "/" + url.PathEscape(part)
	}
	return out
}

// in is a folder of the share; empty: where it begins.
func (s Shared) in(folder string) string {
	if in := path.Join(s.Prefix, filepath.ToSlash(folder)); in != "." {
		return in
	}
	return ""
}

// shared is a folder that is given out here.
type shared struct {
	Shared
	end func()
}

// share gives the folder of an end out.
func (s *server) share(ctx context.Context, id uint64, q Share) error {
	if err := s.mayCopy(); err != nil {
		return err
	}
	s.mu.Lock()
	e := s.copyEnds[q.End]
	s.mu.Unlock()
	if e == nil || !q.Local.IsValid() {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "share", Text: "it needs an end of a copy, and an address to listen at"}
	}
	var v *shared
	var err error
	switch q.Kind {
	case shareHTTP:
		v, err = serveHTTP(q.Local, e)
	case shareSMB:
		v, err = serveSMB(ctx, q.Local, e)
	case shareNFS:
		v, err = serveNFS(ctx, q.Local, q.Peer, e)
	default:
		err = &traffic.Error{Code: traffic.CodeInput, Subject: "share", Text: fmt.Sprintf("%.40q is nothing that a folder is given out over; http, smb and nfs are", q.Kind)}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	e.shares = append(e.shares, v)
	s.mu.Unlock()
	return s.link.send(context.WithoutCancel(ctx), id, kindReady, v.Shared)
}

// only opens the folder of an end: nothing outside of it can be reached.
func (e *copyEnd) only() (*os.Root, error) {
	root, err := os.OpenRoot(e.placed.Folder)
	return root, fileError(e.placed.Folder, err, "")
}
