package copies

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"linerate/internal/base/failure"
)

// serveHTTP shares the folder of an end: GET of the files of a source, PUT of new files into a target, for clients that
// know the 130 random bits that its paths begin with.
func serveHTTP(local netip.Addr, e *End) (*share, error) {
	root, err := e.root()
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", netip.AddrPortFrom(local, 0).String())
	if err != nil {
		root.Close()
		return nil, &failure.Error{Code: failure.CodeAddress, Subject: local.String(), Text: err.Error()}
	}
	token := rand.Text()
	server := &http.Server{Handler: &folderServer{root: root, token: token, end: e}, ReadHeaderTimeout: 10 * time.Second}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = server.Serve(ln)
	}()
	return &share{Shared: Shared{Kind: HTTP, At: fmt.Sprintf("http://%s/%s", ln.Addr(), token),
		What: "linerate's own HTTP server"},
		end: func() {
			_ = server.Close()
			<-over
			_ = root.Close()
		}}, nil
}

// folderServer serves one folder under its token.
type folderServer struct {
	root  *os.Root
	token string
	end   *End
}

func (s *folderServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, name, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !ok || token != s.token || path.Clean("/"+name) != "/"+name {
		http.NotFound(w, r)
		return
	}
	if s.end.placed.Name != "" { // of the user's own folder only one file is shared
		if name = strings.TrimPrefix(name, StreamFolder(0)+"/"); name != s.end.placed.Name {
			http.NotFound(w, r)
			return
		}
	}
	switch {
	case r.Method == http.MethodGet && s.end.source:
		s.get(w, r, name)
	case r.Method == http.MethodPut && !s.end.source:
		s.put(w, r, name)
	default:
		http.Error(w, "a source is read, a target is written", http.StatusMethodNotAllowed)
	}
}

func (s *folderServer) get(w http.ResponseWriter, r *http.Request, name string) {
	f, err := s.root.Open(filepath.FromSlash(name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// put never overwrites a file.
func (s *folderServer) put(w http.ResponseWriter, r *http.Request, name string) {
	f, err := s.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		if _, err = io.Copy(f, r.Body); err == nil {
			err = f.Close()
		} else {
			_ = f.Close()
		}
	}
	switch {
	case err == nil:
		w.WriteHeader(http.StatusCreated)
	case errors.Is(err, fs.ErrExist):
		refuse(w, r, "it is there already", http.StatusConflict)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		refuse(w, r, "the file system is full", http.StatusInsufficientStorage)
	default:
		refuse(w, r, "it could not be written", http.StatusInternalServerError)
	}
}

// refuseWait is how long a refused client may go on sending.
const refuseWait = 10 * time.Second

// refuse answers a client that still sends, and reads what it sends until it has read the answer and closes: closing a
// connection with unread data resets it, and the answer may be lost.
func refuse(w http.ResponseWriter, r *http.Request, text string, status int) {
	c := http.NewResponseController(w)
	full := c.EnableFullDuplex()
	w.Header().Set("Connection", "close")
	http.Error(w, text, status)
	if full != nil || c.Flush() != nil || c.SetReadDeadline(time.Now().Add(refuseWait)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
}

// copyHTTP copies by linerate's own client, where the host has no other.
func copyHTTP(ctx context.Context, q Copy, x Stream) error {
	transport := &http.Transport{DisableCompression: true, Proxy: nil,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for _, name := range x.names() {
		if err := copyOne(ctx, client, q.Share.url(x.There, name), filepath.Join(x.Here, name), x.Pull); err != nil {
			return err
		}
	}
	return nil
}

// copyOne gets or puts one file. Its errors omit the URL, which is secret.
func copyOne(ctx context.Context, client *http.Client, at, here string, pull bool) (err error) {
	var f *os.File
	method := http.MethodPut
	if pull {
		method = http.MethodGet
		f, err = os.OpenFile(here, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	} else {
		f, err = os.Open(here)
	}
	if err != nil {
		return fileError(here, err)
	}
	defer f.Close()
	r, err := http.NewRequestWithContext(ctx, method, at, nil)
	if err != nil {
		return err
	}
	if !pull {
		info, err := f.Stat()
		if err != nil {
			return fileError(here, err)
		}
		r.Body, r.ContentLength = io.NopCloser(f), info.Size()
		if info.Size() == 0 {
			r.Body = http.NoBody
		}
	}
	fail := func(code, text string) error {
		return &failure.Error{Code: code, Subject: filepath.Base(here), Text: text}
	}
	a, err := client.Do(r)
	if err != nil {
		return fail(failure.CodeReset, "the server could not be asked: "+withoutURL(err))
	}
	defer a.Body.Close()
	switch {
	case a.StatusCode == http.StatusInsufficientStorage:
		return fail(failure.CodeLimit, fullTarget)
	case a.StatusCode/100 != 2:
		return fail(failure.CodeInternal, "the server says "+a.Status)
	case !pull:
		return nil
	}
	if _, err := io.Copy(f, a.Body); err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return fileError(here, err)
		}
		return fail(failure.CodeReset, "the server is gone in the middle: "+withoutURL(err))
	}
	return fileError(here, f.Close())
}

// withoutURL is the text of an error without the URL that package http puts before it.
func withoutURL(err error) string {
	type wrapper interface{ Unwrap() error }
	for {
		w, ok := err.(wrapper)
		if !ok || !strings.Contains(err.Error(), "http://") {
			return err.Error()
		}
		err = w.Unwrap()
	}
}
