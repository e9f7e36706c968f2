package export

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/failure"
)

// iscsiUser is iSCSI of two programs: tgt's tgtd, and qemu-storage-daemon, whose initiator is libiscsi.
func iscsiUser() way {
	return way{
		Way:    Way{Name: "iscsi-user", Protocol: "iscsi"},
		server: []program{{"tgtd", "tgt"}, {"tgtadm", "tgt"}},
		client: []program{{"qemu-storage-daemon", "qemu-system-common"}, {"nbdfuse", "libnbd-bin"}},
		also: func(_ context.Context, role Role) string {
			if role == Server {
				return ""
			}
			if why := canFUSE(); why != "" {
				return why
			}
			return qemuDriver("iscsi")
		},
		export: func(ctx context.Context, s *State, q Request, path string) (Export, error) {
			return s.exportTGT(ctx, q, path)
		},
		attach: func(ctx context.Context, s *State, e Export) (Attached, error) {
			return s.attachQEMU(ctx, e, map[string]any{"driver": "iscsi", "transport": "tcp", "portal": e.At.String(),
				"target": e.Name, "lun": e.Unit, "user": e.User,
				"initiator-name": "iqn.2026-11.linerate:" + strings.ToLower(rand.Text())}, "the iSCSI initiator libiscsi")
		},
	}
}

// tgtServer is one tgtd, for all targets of this host.
type tgtServer struct {
	*child
	env     []string
	version string
	portals map[netip.Addr]netip.AddrPort
	targets int
}

// tgtControl is the number of the control port, which is a socket in a folder of its own.
const tgtControl = "7"

func (t *tgtServer) admin(ctx context.Context, args ...string) (string, error) {
	return output(ctx, t.env, append([]string{"tgtadm", "-C", tgtControl, "--lld", "iscsi", "--mode"}, args...)...)
}

// startTGT starts tgtd with its first portal. tgtd listens at all addresses where it cannot listen at the one that it
// is given, so its portals are checked.
func (s *State) startTGT(ctx context.Context, at netip.AddrPort) (*tgtServer, error) {
	dir, err := s.folder()
	if err != nil {
		return nil, err
	}
	t := &tgtServer{env: []string{"TGT_IPC_SOCKET=" + filepath.Join(dir, "tgt")},
		portals: map[netip.Addr]netip.AddrPort{at.Addr(): at}}
	if t.version, err = output(ctx, nil, "tgtadm", "--version"); err != nil {
		return nil, err
	}
	if t.child, err = s.start(t.env, nil, "tgtd", "-f", "-C", tgtControl, "--iscsi", "portal="+at.String()); err != nil {
		return nil, err
	}
	err = t.await(ctx, 50*time.Millisecond, func() error {
		_, err := t.admin(ctx, "portal", "--op", "show")
		return err
	})
	if err != nil {
		return nil, t.failed("it does not serve: %v", err)
	}
	return t, t.checkPortals(ctx)
}

// checkPortals kills tgtd if it listens anywhere but at its portals, which tgtadm shows: "Portal: 10.0.0.1:3260,1".
func (t *tgtServer) checkPortals(ctx context.Context) error {
	text, err := t.admin(ctx, "portal", "--op", "show")
	if err != nil {
		t.kill()
		return err
	}
	var at, want []string
	for line := range strings.Lines(text) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "Portal: "); ok {
			p, _, _ = strings.Cut(p, ",")
			at = append(at, p)
		}
	}
	for _, p := range t.portals {
		want = append(want, p.String())
	}
	slices.Sort(at)
	slices.Sort(want)
	if !slices.Equal(at, want) {
		t.kill()
		return t.failed("it listens at %s, not at %s as configured", strings.Join(at, ", "), strings.Join(want, ", "))
	}
	return nil
}

// exportTGT exports a file as LUN 1 of a target of its own, to one address with one secret.
func (s *State) exportTGT(ctx context.Context, q Request, path string) (e Export, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tgt == nil || s.tgt.ended() {
		at, err := freePort(q.Local)
		if err != nil {
			return e, err
		}
		t, err := s.startTGT(ctx, at)
		if err != nil {
			s.tgt = nil
			return e, err
		}
		s.tgt = t
	}
	t := s.tgt
	at, ok := t.portals[q.Local]
	if !ok {
		if at, err = freePort(q.Local); err != nil {
			return e, err
		}
		if _, err := t.admin(ctx, "portal", "--op", "new", "--param", "portal="+at.String()); err != nil {
			return e, err
		}
		t.portals[q.Local] = at
		if err := t.checkPortals(ctx); err != nil {
			return e, err
		}
	}
	t.targets++
	tid := fmt.Sprint(t.targets)
	e = Export{At: at, Name: "iqn.2026-11.linerate:" + strings.ToLower(rand.Text()), Unit: 1,
		User: strings.ToLower(rand.Text()), Secret: rand.Text()[:16], Server: "tgt " + t.version + ", in user space"}
	for _, args := range [][]string{
		{"target", "--op", "new", "--tid", tid, "--targetname", e.Name},
		{"account", "--op", "new", "--user", e.User, "--password", e.Secret},
		{"account", "--op", "bind", "--tid", tid, "--user", e.User},
		{"logicalunit", "--op", "new", "--tid", tid, "--lun", "1", "--backing-store", path},
		// last: no initiator may connect before the target is complete
		{"target", "--op", "bind", "--tid", tid, "--initiator-address", q.Peer.String()},
	} {
		if _, err := t.admin(ctx, args...); err != nil {
			if f, ok := err.(*failure.Error); ok {
				f.Text = args[0] + " " + args[2] + ": " + f.Text
			}
			return e, err
		}
	}
	return e, nil
}
