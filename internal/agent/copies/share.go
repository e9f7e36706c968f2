package copies

import (
	"context"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
)

// Kinds of shares.
const (
	HTTP = "http" // linerate's own server
	SMB  = "smb"  // Samba's
	FTP  = "ftp"  // the user's own
	NFS  = "nfs"  // nfs-ganesha's
)

// Share asks an agent to share a folder with another host, until its controller is gone.
type Share struct {
	Kind   string     `json:"kind"` // http, smb, nfs
	Folder string     `json:"folder"`
	Local  netip.Addr `json:"local"` // that the server listens at
	Peer   netip.Addr `json:"peer"`  // of nfs: the only host that may connect
	End    uint64     `json:"end"`   // whose folder it is: no other folder is shared
}

// Shared is a folder that is shared.
type Shared struct {
	Kind     string `json:"kind"`
	At       string `json:"at"` // http, ftp, nfs: a URL; smb: //HOST/SHARE
	Port     int    `json:"port,omitempty"`
	Prefix   string `json:"prefix,omitempty"` // a folder in it
	Domain   string `json:"domain,omitempty"` // of smb: the user's
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	What     string `json:"what,omitempty"` // which server it is, for the record
	// Theirs says that it is the user's own server. linerate connects to it once before anything is copied, so that a
	// wrong password is tried once, whatever the number of streams.
	Theirs bool `json:"theirs,omitempty"`
}

// url is that of a file.
func (s Shared) url(folder, name string) string {
	out := strings.TrimSuffix(s.At, "/")
	for part := range strings.SplitSeq(strings.TrimPrefix(path.Join(s.in(folder), name), "/"), "/") {
		out += "/" + url.PathEscape(part)
	}
	return out
}

// in is a folder of the share; empty: its root.
func (s Shared) in(folder string) string {
	if in := path.Join(s.Prefix, filepath.ToSlash(folder)); in != "." {
		return in
	}
	return ""
}

// share is a folder that this host shares.
type share struct {
	Shared
	end func()
}

// Share shares the end's folder. A nil end is one that does not exist.
func (e *End) Share(ctx context.Context, q Share) (Shared, error) {
	if e == nil || !q.Local.IsValid() {
		return Shared{}, &failure.Error{Code: failure.CodeInput, Subject: "share",
			Text: "it needs an end of a copy, and an address to listen at"}
	}
	var v *share
	var err error
	switch q.Kind {
	case HTTP:
		v, err = serveHTTP(q.Local, e)
	case SMB:
		v, err = serveSMB(ctx, q.Local, e)
	case NFS:
		v, err = serveNFS(ctx, q.Local, q.Peer, e)
	default:
		err = failure.Errorf(failure.CodeInput, "share",
			"%.40q is nothing that a folder is exported over; http, smb and nfs are", q.Kind)
	}
	if err != nil {
		return Shared{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shares = append(e.shares, v)
	return v.Shared, nil
}

// root opens the folder of an end: no path leads out of it.
func (e *End) root() (*os.Root, error) {
	root, err := os.OpenRoot(e.placed.Folder)
	return root, fileError(e.placed.Folder, err)
}

// shareable refuses the folder of an existing file: the server would share the whole folder.
func (e *End) shareable() error {
	if e.placed.Name == "" {
		return nil
	}
	return &failure.Error{Code: failure.CodeInput, Subject: e.placed.Folder,
		Text: "a folder of yours is not exported whole for one file; name a folder as source, in which one is made, or " +
			"copy over http"}
}

// lookServer finds a server's program, which a Debian package has.
func lookServer(name, pack string) (string, error) {
	at, err := process.Look(name)
	if err != nil {
		err = failure.Errorf(failure.CodeUnsupported, name, "it is not on this host (Debian: apt-get install %s)", pack)
	}
	return at, err
}

// writeFiles writes the files of a server into its folder, and makes the folders that it needs there.
func writeFiles(dir string, files map[string]string, folders ...string) error {
	for _, name := range folders {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}
