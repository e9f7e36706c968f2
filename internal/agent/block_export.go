package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/nvmetcp"
)

// Export asks an agent to export a drive to one other host over NVMe/TCP, until its controller is gone.
type Export struct {
	Target string     `json:"target"`         // a folder, in which a file is made, or the path of a file to be made
	Name   string     `json:"name,omitempty"` // of the drive: those of different names have files of their own
	Span   unit.Bytes `json:"span,omitempty"`
	Local  netip.Addr `json:"local"` // that it listens at
	Host   string     `json:"host"`  // the only name (host NQN) that may connect; it has random letters and digits
}

// Exported is an export.
type Exported struct {
	URL      string   `json:"url"`
	Identity string   `json:"identity"` // of the namespace, which a job that writes has to name
	Devices  []string `json:"devices,omitempty"`
}

// serving is an export of this host.
type serving struct {
	served Exported
	stop   context.CancelFunc
	over   chan struct{}
	file   *nvmetcp.File
}

func (v *serving) end() {
	v.stop()
	<-v.over
	_ = v.file.Close()
}

// leastHostName is the least length of the name of the host that may connect.
const leastHostName = 40

// serveFile makes a file and exports it.
func (s *server) serveFile(ctx context.Context, id uint64, q Export) error {
	if err := s.allowed(allowBlockWrite, "export", "gives storage out"); err != nil {
		return err
	}
	if !q.Local.IsValid() || len(q.Host) < leastHostName {
		return &failure.Error{Code: failure.CodeInput, Subject: "export",
			Text: "it needs an address to listen at, and the name of the host that may connect"}
	}
	j := &block.Job{Target: q.Target, Span: q.Span, Seed: 1}
	laid, err := s.layOut(ctx, j, q.Name)
	if err != nil {
		return err
	}
	if laid == nil {
		return errNotMade(q.Target)
	}
	file, err := nvmetcp.OpenFile(laid.path, true)
	if err != nil {
		return failure.Errorf(failure.CodeInternal, laid.path, "%v", err)
	}
	ln, err := net.Listen("tcp", netip.AddrPortFrom(q.Local, 0).String())
	if err != nil {
		file.Close()
		return failure.Errorf(failure.CodeAddress, q.Local.String(), "%v", err)
	}
	nqn := "nqn.2026-11.linerate:" + strings.ToLower(rand.Text())
	serial := rand.Text()[:20]
	v := &serving{over: make(chan struct{}), file: file}
	v.served = Exported{URL: fmt.Sprintf("%s://%s/%s", nvmetcp.Scheme, ln.Addr(), nqn),
		Devices: laid.engine.Ready().Devices}
	ctx, v.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(v.over)
		_ = nvmetcp.Serve(ctx, ln, nvmetcp.Subsystem{NQN: nqn, Backing: file, BlockSize: 512, AllowHosts: []string{q.Host},
			Serial: serial})
	}()
	if v.served.Identity, err = identityOf(ctx, v.served.URL, q.Host); err != nil {
		v.end()
		return err
	}
	s.serves.put(id, v)
	return s.link.send(ctx, id, kindReady, v.served)
}

// identityOf queries the target for the identity of its namespace.
func identityOf(ctx context.Context, url, host string) (string, error) {
	a, err := nvmetcp.ParseAddress(url)
	if err != nil {
		return "", err
	}
	c, err := nvmetcp.Connect(ctx, a, nvmetcp.Options{HostNQN: host})
	if err != nil {
		return "", err
	}
	defer c.Close()
	return block.NVMeIdentity(c.Info()), nil
}

// endServes ends all exports over NVMe/TCP.
func (s *server) endServes() {
	var wg sync.WaitGroup
	for _, v := range s.serves.takeAll() {
		wg.Go(v.end)
	}
	wg.Wait()
}

// Export has the agent make a file and export it, until the client is closed.
func (c *Client) Export(ctx context.Context, q Export) (Exported, error) {
	return call[Exported](ctx, c, "export", kindServe, q)
}
