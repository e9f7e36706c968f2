package agent

import (
	"errors"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/agent/copies"
	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// needGanesha skips where the server or its client is not installed; the packages are not among those that test.sh
// installs.
func needGanesha(t *testing.T) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	if _, err := process.Look("ganesha.nfsd"); err != nil {
		t.Skip("ganesha.nfsd is not here (Debian: apt-get install nfs-ganesha nfs-ganesha-vfs)")
	}
	if _, err := exec.LookPath("nfs-cp"); err != nil {
		t.Skip("nfs-cp is not here (Debian: apt-get install libnfs-utils)")
	}
}

// shareNFS shares an end, or skips the test where nfs-ganesha cannot run on this host.
func shareNFS(t *testing.T, c *Client, end uint64, peer netip.Addr) copies.Shared {
	t.Helper()
	v, err := c.Share(t.Context(), copies.Share{Kind: copies.NFS, End: end, Local: loopback, Peer: peer})
	var e *failure.Error
	if errors.As(err, &e) && e.Code == failure.CodeUnsupported {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// nfs-ganesha shares a folder and libnfs copies, in both directions, some files and many. Nothing is left.
func TestCopyNFS(t *testing.T) {
	needGanesha(t)
	for _, k := range []struct {
		pull  bool
		files int
	}{{false, 2}, {true, 2}, {false, 40}, {true, 40}} {
		c := mustStart(t)
		source, target := copyEnds(t, c, 3*unit.MiB+17, k.files, 2)
		served := target
		if k.pull {
			served = source
		}
		v := shareNFS(t, c, served.End, loopback)
		if k.pull {
			v.What += "\x00pull"
		}
		out := copied(t, c, copies.Copy{Share: &v}, source, target, 2, inShare)
		old := false // libnfs before 5 does not write over NFS 4
		for _, e := range out.Streams {
			if old = !k.pull && strings.Contains(e.Wrong, "libnfs before 5"); e.Wrong != "" && !old || out.Via != "nfs-cp" {
				t.Errorf("%s: %+v", out.Command, e)
			}
		}
		if old {
			t.Log(out.Streams[0].Wrong)
		} else {
			same(t, c, source, target)
		}
		c.Close()
		removed(t, source.Folder, target.Folder)
		if err := exec.Command("nfs-ls", strings.Replace(v.At, "127.0.0.1:", "127.0.0.1/?version=4&nfsport=",
			1)).Run(); err == nil {
			t.Error("it still serves")
		}
	}
}

// What NFS refuses is an error before anything is copied: a missing folder, an address that may not connect.
func TestCopyNFSRefuses(t *testing.T) {
	needGanesha(t)
	c := mustStart(t)
	source, target := copyEnds(t, c, 1000, 1, 1)
	for name, k := range map[string]struct{ peer, folder string }{"not there": {"127.0.0.1", "elsewhere"},
		"another's address": {"127.0.0.9", ""}} {
		v := shareNFS(t, c, source.End, netip.MustParseAddr(k.peer))
		v.Theirs, v.Prefix = true, v.Prefix+k.folder
		_, err := c.Copy(t.Context(), copies.Copy{Share: &v, AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead),
			Limit: 10 * time.Minute,
			Streams: []copies.Stream{{Pull: true, Here: filepath.Join(target.Folder, copies.StreamFolder(0)),
				There: copies.StreamFolder(0), Files: 1}}})
		var e *failure.Error
		if !errors.As(err, &e) || e.Code != failure.CodeInput || !strings.Contains(e.Text, "NFS4ERR_NOENT") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Share(t.Context(), copies.Share{Kind: copies.NFS, End: source.End, Local: loopback}); err == nil ||
		!strings.Contains(err.Error(), "the address that asks is not known") {
		t.Errorf("without an address: %v", err)
	}
}
