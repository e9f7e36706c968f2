package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// What lab build is asked for and cannot do is said before anything is fetched.
func TestLabBuildRefused(t *testing.T) {
	for says, args := range map[string][]string{
		`"sciw" is no set of modules; there are siw (soft iWARP) and smbdirect`: {"--modules", "siw,sciw"},
		`"" is no set of modules`: {"--modules", ""},
		"unknown flag":            {"--module", "siw"},
	} {
		if a := call(t, nil, append([]string{"lab", "build"}, args...)...); a.code != exitInput || !strings.Contains(a.err, says) {
			t.Errorf("%v: want exit code 2 and %q: %s", args, says, a)
		}
	}
	if runtime.GOARCH != "amd64" {
		return // guests are of that processor alone
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if a := call(t, nil, "lab", "build"); a.code != exitIncomplete || !strings.Contains(a.err, "apt-get is not here") {
		t.Errorf("without apt: %s", a)
	}
}

// copyImage gives the place a cache of its own with the guests' image and no modules.
func copyImage(t *testing.T, p *place) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	build := p.inGuests(t, "lab", "build", "--json")
	var b lab.Built
	if build.code != exitDone || json.Unmarshal([]byte(build.out), &b) != nil || b.Image.Bytes < 1<<20 || !strings.HasPrefix(b.Image.Folder, cache) {
		t.Fatalf("lab build: %s", build)
	}
	bare := p.path("cache", "linerate", "guest")
	if err := os.MkdirAll(bare, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(bare, filepath.Base(b.Image.Folder)), os.DirFS(b.Image.Folder)); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "XDG_CACHE_HOME="+p.path("cache"))
}

// Without its module a host has no iWARP, and what needs it is listed; the rest goes on.
func TestGuestWithoutIWARP(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	copyImage(t, p)
	fabric := copyFile(t, "testdata/iwarp.yaml", p.path("iwarp.yaml"))
	a := p.inGuests(t, "run", fabric, "--lab", "--scale", "0.004", "-o", p.path("run"), "--json")
	if !strings.Contains(a.err, "there is no iWARP on whole: build the module with linerate lab build --modules siw") || !strings.Contains(a.err, "not run without it: reads\n") {
		t.Fatalf("run: %s", a)
	}
	for _, x := range a.run(t).Experiments {
		switch x.Name {
		case "reads":
			if !strings.Contains(x.NotRun, "linerate lab build --modules siw") {
				t.Errorf("%s: not run because %q", x.Name, x.NotRun)
			}
		case "other":
			if strings.Contains(x.NotRun, "iWARP") {
				t.Errorf("%s needs no iWARP: %q", x.Name, x.NotRun)
			}
		case "latency":
			if x.NotRun != "" || x.Failed != "" || x.Latency == nil {
				t.Errorf("%s does not go on: %q, %q", x.Name, x.NotRun, x.Failed)
			}
		}
	}
}

// The real thing: modules out of Debian's source, and a guest that has an iWARP device with them. With the kind download they are built.
func TestGuestIWARP(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	if testenv.Wanted(testenv.Download) {
		if a := p.inGuests(t, "lab", "build", "--modules", "siw"); a.code != exitDone || !strings.Contains(a.out, "modules siw") {
			t.Fatalf("lab build: %s", a)
		}
	}
	fabric := copyFile(t, "testdata/iwarp.yaml", p.path("iwarp.yaml"))
	s, info := guestLab(t, p, fabric)
	if len(info.Guests) != 1 || info.Guests[0].Failed != "" {
		t.Fatalf("the lab: %+v", info)
	}
	if len(info.Guests[0].Lacks) > 0 && !testenv.Wanted(testenv.Download) {
		t.Skipf("the cache has no module siw; %s=guest,download builds it", testenv.Variable)
	}
	if got := s.on(t, "whole", "rdma", "link"); !strings.Contains(got, "link siw0/1 state ACTIVE") || !strings.Contains(got, "netdev tcp") || !strings.Contains(got, "link rxe0/1 state ACTIVE") {
		t.Errorf("RDMA of the guest: %s", got)
	}
	if got := strings.TrimSpace(s.on(t, "whole", "sh", "-c", "cd /sys/class/infiniband; echo *")); got != "rxe0 siw0" || strings.Join(info.Guests[0].RDMA, " ") != got {
		t.Errorf("devices %q, and the lab says %q", got, info.Guests[0].RDMA)
	}
	if got := s.on(t, "whole", "modinfo", "-n", "siw"); !strings.Contains(got, "/updates/siw.ko") {
		t.Errorf("siw is %s", got)
	}
	// It carries data: the two ends of one device.
	if got := s.on(t, "whole", "sh", "-c", "rping -s -a 10.0.1.1 -C 5 & i=0; until rping -c -a 10.0.1.1 -C 5 -v >/tmp/said 2>&1; do i=$((i+1)); [ $i -lt 60 ] || break; sleep 1; done; cat /tmp/said; kill $! 2>/dev/null; wait"); strings.Count(got, "ping data: rdma-ping-") != 5 {
		t.Errorf("rping over siw: %s", got)
	}
}
