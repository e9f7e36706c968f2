package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// iscsiUser is iSCSI of two programs: tgt's tgtd, and qemu-storage-daemon, whose initiator is libiscsi.
func iscsiUser() storageWay {
	return storageWay{
		StorageWay: StorageWay{Name: "iscsi-user", Protocol: "iscsi"},
		server:     []programOf{{"tgtd", "tgt"}, {"tgtadm", "tgt"}},
		client:     []programOf{{"qemu-storage-daemon", "qemu-system-common"}, {"nbdfuse", "libnbd-bin"}},
		also: func(ctx context.Context, role storageRole) string {
			if role == StorageServer {
				return ""
			}
			if why := canFUSE(); why != "" {
				return why
			}
			return qemuDriver("iscsi")
		},
		give: func(ctx context.Context, s *server, q giveRequest, path string, size unit.Bytes) (Given, error) {
			return s.stores.giveTGT(ctx, q, path)
		},
		attach: func(ctx context.Context, s *server, g Given) (Attached, error) {
			return s.stores.attachQEMU(ctx, g, map[string]any{"driver": "iscsi", "transport": "tcp", "portal": g.At.String(), "target": g.Name, "lun": g.Unit, "user": g.User,
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
	return output(ctx, t.env, append([]string{"tgtadm", "-C", tgtControl}, args...)...)
}

// startTGT starts tgtd with its first portal. It listens at all addresses where it cannot at the one that it is told, so what it listens at is looked at.
func (t *storageState) startTGT(ctx context.Context, at netip.AddrPort) (*tgtServer, error) {
	dir, err := t.folder()
	if err != nil {
		return nil, err
	}
	v := &tgtServer{env: []string{"TGT_IPC_SOCKET=" + filepath.Join(dir, "tgt")}, portals: map[netip.Addr]netip.AddrPort{at.Addr(): at}}
	if v.version, err = output(ctx, nil, "tgtadm", "--version"); err != nil {
		return nil, err
	}
	if v.child, err = t.start(v.env, nil, "tgtd", "-f", "-C", tgtControl, "--iscsi", "portal="+at.String()); err != nil {
		return nil, err
	}
	for end := time.Now().Add(programMoment); ; time.Sleep(50 * time.Millisecond) {
		said, err := v.admin(ctx, "--lld", "iscsi", "--mode", "portal", "--op", "show")
		if err == nil {
			if err := v.onlyAt(said); err != nil {
				v.kill()
				return nil, err
			}
			return v, nil
		}
		if v.ended() || time.Now().After(end) || ctx.Err() != nil {
			v.kill()
			return nil, v.failed("it does not serve: %v", err)
		}
	}
}

// onlyAt checks the portals that tgtadm shows ("Portal: 10.0.0.1:3260,1"): where it was told to and nowhere else.
func (t *tgtServer) onlyAt(said string) error {
	var at []string
	for line := range strings.Lines(said) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "Portal: "); ok {
			p, _, _ = strings.Cut(p, ",")
			at = append(at, p)
		}
	}
	var want []string
	for _, p := range t.portals {
		want = append(want, p.String())
	}
	slices.Sort(at)
	slices.Sort(want)
	if !slices.Equal(at, want) {
		return t.failed("it listens at %s, not at %s as it was told", strings.Join(at, ", "), strings.Join(want, ", "))
	}
	return nil
}

// giveTGT gives a file out as LUN 1 of a target of its own, to one address and one secret.
func (t *storageState) giveTGT(ctx context.Context, q giveRequest, path string) (g Given, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tgt == nil || t.tgt.ended() {
		at, err := freePort(q.Local)
		if err != nil {
			return g, err
		}
		if t.tgt, err = t.startTGT(ctx, at); err != nil {
			t.tgt = nil
			return g, err
		}
	}
	v := t.tgt
	at, ok := v.portals[q.Local]
	if !ok {
		if at, err = freePort(q.Local); err != nil {
			return g, err
		}
		if _, err := v.admin(ctx, "--lld", "iscsi", "--mode", "portal", "--op", "new", "--param", "portal="+at.String()); err != nil {
			return g, err
		}
		v.portals[q.Local] = at
		said, err := v.admin(ctx, "--lld", "iscsi", "--mode", "portal", "--op", "show")
		if err == nil {
			err = v.onlyAt(said)
		}
		if err != nil {
			v.kill()
			return g, err
		}
	}
	v.targets++
	tid := fmt.Sprint(v.targets)
	g = Given{At: at, Name: "iqn.2026-11.linerate:" + strings.ToLower(rand.Text()), Unit: 1, User: strings.ToLower(rand.Text()), Secret: rand.Text()[:16],
		Server: "tgt " + v.version + ", in user space"}
	for _, args := range [][]string{
		{"--mode", "target", "--op", "new", "--tid", tid, "--targetname", g.Name},
		{"--mode", "account", "--op", "new", "--user", g.User, "--password", g.Secret},
		{"--mode", "account", "--op", "bind", "--tid", tid, "--user", g.User},
		{"--mode", "logicalunit", "--op", "new", "--tid", tid, "--lun", "1", "--backing-store", path},
		{"--mode", "target", "--op", "bind", "--tid", tid, "--initiator-address", q.Peer.String()}, // last: nobody comes in before it is whole
	} {
		if _, err := v.admin(ctx, append([]string{"--lld", "iscsi"}, args...)...); err != nil {
			if e, ok := err.(*traffic.Error); ok {
				e.Text = args[1] + " " + args[3] + ": " + e.Text
			}
			return g, err
		}
	}
	return g, nil
}
