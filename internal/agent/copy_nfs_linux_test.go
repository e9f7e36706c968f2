package agent

import (
	"errors"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// needGanesha skips where the server or its client is not installed; the packages are not among those that test.sh installs.
func needGanesha(t *testing.T) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	if _, err := lookServer("ganesha.nfsd", "nfs-ganesha"); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("nfs-cp"); err != nil {
		t.Skip("nfs-cp is not here (Debian: apt-get install libnfs-utils)")
	}
	if why := handlesRefused(t.TempDir()); why != "" {
		t.Skip(why)
	}
}

// nfs-ganesha gives a folder out and libnfs copies, in both directions, one file and several; nothing is left, also of an agent that is killed.
func TestCopyNFS(t *testing.T) {
	needGanesha(t)
	local := netip.MustParseAddr("127.0.0.1")
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
		v, err := c.Share(t.Context(), Share{Kind: shareNFS, End: served.End, Local: local, Peer: local})
		if err != nil {
			t.Fatal(err)
		}
		if k.pull {
			v.What += "\x00pull"
		}
		out := copied(t, c, Copy{Share: &v}, source, target, 2, inShare)
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
		if err := exec.Command("nfs-ls", strings.Replace(v.At, "127.0.0.1:", "127.0.0.1/?version=4&nfsport=", 1)).Run(); err == nil {
			t.Error("it still serves")
		}
	}
}

// What NFS refuses is told before anything is copied: a folder that is not there, an address that may not come in.
func TestCopyNFSRefuses(t *testing.T) {
	needGanesha(t)
	c := mustStart(t)
	source, target := copyEnds(t, c, 1000, 1, 1)
	for name, k := range map[string]struct{ peer, folder string }{"not there": {"127.0.0.1", "elsewhere"}, "another's address": {"127.0.0.9", ""}} {
		v, err := c.Share(t.Context(), Share{Kind: shareNFS, End: source.End, Local: netip.MustParseAddr("127.0.0.1"), Peer: netip.MustParseAddr(k.peer)})
		if err != nil {
			t.Fatal(err)
		}
		v.Theirs, v.Prefix = true, v.Prefix+k.folder
		_, err = c.Copy(t.Context(), Copy{Share: &v, AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead), Limit: 10 * time.Minute,
			Streams: []CopyStream{{Pull: true, Here: filepath.Join(target.Folder, CopyStreamFolder(0)), There: CopyStreamFolder(0), Files: 1}}})
		var e *traffic.Error
		if !errors.As(err, &e) || e.Code != traffic.CodeInput || !strings.Contains(e.Text, "NFS4ERR_NOENT") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Share(t.Context(), Share{Kind: shareNFS, End: source.End, Local: netip.MustParseAddr("127.0.0.1")}); err == nil || !strings.Contains(err.Error(), "the address that asks is not known") {
		t.Errorf("without an address: %v", err)
	}
}
