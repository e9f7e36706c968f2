package agent

import (
	"context"
	"net/netip"
	"slices"

	"linerate/internal/agent/export"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

func (s *server) mayExport() error {
	return s.allowed(allowBlockWrite, "export", "gives storage out, and takes it,")
}

// storageWays reports which ways of a storage protocol this host has.
func (s *server) storageWays(ctx context.Context, id uint64, q export.Query) error {
	return s.link.send(ctx, id, kindReady, export.Ways(ctx, q))
}

// exportStorage exports a file or a folder to one other host.
func (s *server) exportStorage(ctx context.Context, id uint64, q export.Request) error {
	e, err := s.exports.Export(ctx, q, func() (string, []string, error) {
		j := layoutJob(q.Target, q.Span)
		laid, err := s.layOut(ctx, &j, q.Key)
		if err == nil && laid == nil {
			err = errNotMade(q.Target)
		}
		if err != nil {
			return "", nil, err
		}
		return laid.path, laid.engine.Ready().Devices, nil
	})
	if err != nil {
		return err
	}
	return s.link.send(ctx, id, kindReady, e)
}

// errNotMade refuses to export what linerate has not made.
func errNotMade(target string) error {
	return &failure.Error{Code: failure.CodeUnsafe, Subject: target,
		Text: "it is there and no folder, and what is there is not exported; name a folder"}
}

// attachStorage makes an export of another host a file, a device or a folder of this one.
func (s *server) attachStorage(ctx context.Context, id uint64, e export.Export) error {
	a, err := s.exports.Attach(ctx, e)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.attached = append(s.attached, a.Path)
	s.mu.Unlock()
	return s.link.send(ctx, id, kindReady, a)
}

// isAttached reports whether this agent has attached the storage at a path.
func (s *server) isAttached(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.attached, path)
}

// StorageWays are the ways of a protocol, in the order in which they are to be tried, with what the agent's host is
// missing for a role.
func (c *Client) StorageWays(ctx context.Context, protocol string, role export.Role,
	kernel bool) ([]export.Way, error) {
	return call[[]export.Way](ctx, c, "ask for "+protocol, kindStorage,
		export.Query{Protocol: protocol, Role: role, Kernel: kernel})
}

// ExportStorage has the agent make a file of a size in a folder, and export it by a way to one other host until the
// client is closed. Drives in one folder differ by key.
func (c *Client) ExportStorage(ctx context.Context, way, folder, key string, size unit.Bytes,
	local, peer netip.Addr) (export.Export, error) {
	return call[export.Export](ctx, c, "export", kindGive,
		export.Request{Way: way, Target: folder, Key: key, Span: size, Local: local, Peer: peer})
}

// AttachStorage has the agent make another agent's export a file, a device or a folder of its host, until the client is
// closed.
func (c *Client) AttachStorage(ctx context.Context, e export.Export) (export.Attached, error) {
	return call[export.Attached](ctx, c, "attach", kindAttach, e)
}
