package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
	"linerate/nvmetcp"
)

// Export is what an agent is asked to give out to one other host over NVMe/TCP, until its controller is gone.
type Export struct {
	Target string     `json:"target"`         // a folder, in which a file is made, or the path of a file to be made
	Name   string     `json:"name,omitempty"` // of the drive: those of different names have files of their own
	Span   unit.Bytes `json:"span,omitempty"`
	Local  netip.Addr `json:"local"` // that it listens at
	Host   string     `json:"host"`  // the name (host NQN) that alone may connect: letters and digits that nobody guesses stand in it
}

// Exported is where it is.
type Exported struct {
	URL      string   `json:"url"`
	Identity string   `json:"identity"` // of the namespace, which a job that writes has to name
	Devices  []string `json:"devices,omitempty"`
}

// serving is one that is given out.
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

// leastHost is how long the name of the host has to be that may connect.
const leastHost = 40

// serveFile makes a file and gives it out.
func (s *server) serveFile(ctx context.Context, id uint64, q Export) error {
	if s.opt.listens && !slices.Contains(s.opt.Allow, writesBlocks) {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "export", Text: "an agent that listens gives storage out only if it was started with --allow " + writesBlocks}
	}
	if !q.Local.IsValid() || len(q.Host) < leastHost {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "export", Text: "it needs an address to listen at, and the name of the host that may connect"}
	}
	j := &block.Job{Target: q.Target, Span: q.Span, Seed: 1}
	laid, err := s.laidOut(ctx, j, q.Name)
	if err != nil {
		return err
	}
	if laid == nil {
		return &traffic.Error{Code: traffic.CodeUnsafe, Subject: q.Target, Text: "it is there and no folder, and what is there is not given out; name a folder"}
	}
	file, err := nvmetcp.OpenFile(laid.path, true)
	if err != nil {
		return &traffic.Error{Code: traffic.CodeInternal, Subject: laid.path, Text: err.Error()}
	}
	ln, err := net.Listen("tcp", netip.AddrPortFrom(q.Local, 0).String())
	if err != nil {
		file.Close()
		return &traffic.Error{Code: traffic.CodeAddress, Subject: q.Local.String(), Text: err.Error()}
	}
	nqn := "nqn.2026-11.linerate:" + strings.ToLower(rand.Text())
	serial := rand.Text()[:20]
	v := &serving{over: make(chan struct{}), file: file}
	v.served = Exported{URL: fmt.Sprintf("%s://%s/%s", nvmetcp.Scheme, ln.Addr(), nqn), Devices: laid.engine.Ready().Devices}
	ctx, v.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(v.over)
		_ = nvmetcp.Serve(ctx, ln, nvmetcp.Subsystem{NQN: nqn, Backing: file, BlockSize: 512, AllowHosts: []string{q.Host}, Serial: serial})
	}()
	if v.served.Identity, err = identityOf(ctx, v.served.URL, q.Host); err != nil {
		v.end()
		return err
	}
	s.mu.Lock()
	s.serves = append(s.serves, v)
	s.mu.Unlock()
	return s.link.send(ctx, id, kindReady, v.served)
}

// identityOf asks the target what it calls its namespace.
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

// endServes ends all that is given out.
func (s *server) endServes() {
	s.mu.Lock()
	all := s.serves
	s.serves = nil
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, v := range all {
		wg.Go(v.end)
	}
	wg.Wait()
}

// Export has the agent give a file out, which it makes, until the client is closed.
func (c *Client) Export(ctx context.Context, q Export) (Exported, error) {
	var v Exported
	err := c.ask(ctx, "export", kindServe, q, func(f frame) (bool, error) { return true, want(f, kindReady, &v) })
	return v, err
}
