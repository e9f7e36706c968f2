package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// What lab build cannot do is reported before any download.
func TestLabBuildRefused(t *testing.T) {
	for says, args := range map[string][]string{
		`"sciw" is not a set of modules`: {"--modules", "siw,sciw"},
		`"" is not a set of modules`:     {"--modules", ""},
		"has no flag --module":           {"--module", "siw"},
	} {
		if a := call(t, nil, append([]string{"lab", "build"}, args...)...); a.code != cli.ExitInput ||
			!strings.Contains(a.err, says) {
			t.Errorf("%v: want exit code 2 and %q: %s", args, says, a)
		}
	}
	if runtime.GOARCH != "amd64" {
		return // guests only have that architecture
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if a := call(t, nil, "lab", "build"); a.code != cli.ExitIncomplete ||
		!strings.Contains(a.err, "apt-get is not here") {
		t.Errorf("without apt: %s", a)
	}
}

// copyImage gives the place its own cache with the guests' image and no modules.
func copyImage(t *testing.T, p *place) {
	t.Helper()
	cache := testenv.Must(os.UserCacheDir())(t)
	build := p.inGuests(t, "lab", "build", "--json")
	var b lab.Built
	if build.code != cli.ExitDone || json.Unmarshal([]byte(build.out), &b) != nil || b.Image.Bytes < 1<<20 ||
		!strings.HasPrefix(b.Image.Folder, cache) {
		t.Fatalf("lab build: %s", build)
	}
	bare := p.path("cache", "linerate", "guest")
	testenv.Check(t, os.MkdirAll(bare, 0o700))
	testenv.Check(t, os.CopyFS(filepath.Join(bare, filepath.Base(b.Image.Folder)), os.DirFS(b.Image.Folder)))
	p.env = append(p.env, "XDG_CACHE_HOME="+p.path("cache"))
}

// Without its module a host has no iWARP; experiments that need it are listed, and the others go on.
func TestGuestWithoutIWARP(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	copyImage(t, p)
	fabric := copyFile(t, "testdata/iwarp.yaml", p.path("iwarp.yaml"))
	a := p.inGuests(t, "run", fabric, "--lab", "--scale", "0.004", "-o", p.path("run"), "--json")
	if !strings.Contains(a.err, "there is no iWARP on whole: build the module with linerate lab build --modules siw") ||
		!strings.Contains(a.err, "not run without it: reads\n") {
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

// The real thing: modules from Debian's source, and a guest with an iWARP device. With the kind download they are
// built.
func TestGuestIWARP(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	if testenv.Wanted(testenv.Download) {
		if a := p.inGuests(t, "lab", "build", "--modules", "siw"); a.code != cli.ExitDone ||
			!strings.Contains(a.out, "modules siw") {
			t.Fatalf("lab build: %s", a)
		}
	}
	fabric := copyFile(t, "testdata/iwarp.yaml", p.path("iwarp.yaml"))
	s, info := guestLab(t, p, fabric)
	if len(info.Guests) != 1 || info.Guests[0].Failed != "" {
		t.Fatalf("the lab: %+v", info)
	}
	if len(info.Guests[0].Missing) > 0 && !testenv.Wanted(testenv.Download) {
		t.Skipf("the cache has no module siw; %s=guest,download builds it", testenv.Variable)
	}
	if got := s.on(t, "whole", "rdma", "link"); !strings.Contains(got, "link siw0/1 state ACTIVE") ||
		!strings.Contains(got, "netdev tcp") || !strings.Contains(got, "link rxe0/1 state ACTIVE") {
		t.Errorf("RDMA of the guest: %s", got)
	}
	if got := strings.TrimSpace(s.on(t, "whole", "sh", "-c", "cd /sys/class/infiniband; echo *")); got != "rxe0 siw0" ||
		strings.Join(info.Guests[0].RDMA, " ") != got {
		t.Errorf("devices %q, and the lab says %q", got, info.Guests[0].RDMA)
	}
	if got := s.on(t, "whole", "modinfo", "-n", "siw"); !strings.Contains(got, "/updates/siw.ko") {
		t.Errorf("siw is %s", got)
	}
	// Data flows: between the two ends of one device.
	if got := s.on(t, "whole", "sh", "-c", "rping -s -a 10.0.1.1 -C 5 & i=0; until rping -c -a 10.0.1.1 -C 5 -v "+
		">/tmp/said 2>&1; do i=$((i+1)); [ $i -lt 60 ] || break; "+
		"sleep 1; done; cat /tmp/said; kill $! 2>/dev/null; wait"); strings.Count(got,
		"ping data: rdma-ping-") != 5 {
		t.Errorf("rping over siw: %s", got)
	}
}

// RDMA of one guest with itself: soft RoCE answers its own address, so one machine is enough for every operation and
// every figure.
func (s *spoiled) verbsInOne(t *testing.T) {
	if a := s.on(t, "whole", "ls", "/sys/class/infiniband"); a != "rxe0\n" {
		t.Fatalf("RDMA devices: %q", a)
	}
	end := "lab " + s.id + "/whole"
	for _, metric := range []string{"latency", "goodput"} {
		a := s.inGuests(t, "measure", "rdma", "--from", end, "--to", end, "--to-address", "10.0.2.1", "--op",
			"write,send,read", "--metric", metric, "--threads", "1,2", "--size",
			map[string]string{"latency": "8B", "goodput": "64KiB"}[metric], "--time", "1s", "--repeats", "1", "--json")
		if a.code != cli.ExitDone {
			t.Fatalf("measure rdma: %s", a)
		}
		r := a.run(t)
		if len(r.Experiments) != 6 {
			t.Fatalf("%d experiments, want 3 operations with 1 and 2 pairs", len(r.Experiments))
		}
		for _, e := range r.Experiments {
			name := metric + " " + e.Settings["op"] + " " + e.Settings["threads"]
			if e.Failed != "" || e.Verbs == nil || len(e.Verbs.Ends) != 2 || len(e.Repeats) != 1 {
				t.Errorf("%s: failed %q, %+v", name, e.Failed, e.Verbs)
				continue
			}
			for _, x := range e.Verbs.Ends {
				if x.Device != "rxe0" || x.Link != "rocev2" || x.GID != "::ffff:10.0.2.1" || !x.Soft ||
					fmt.Sprint(len(x.Pairs)) != e.Settings["threads"] {
					t.Errorf("%s: an end: %+v", name, x)
				}
			}
			switch {
			case metric == "latency" && (e.Latency == nil || e.Latency.Count < 1 || e.Goodput != nil):
				t.Errorf("%s: %+v", name, e.Latency)
			case metric == "goodput" && (e.Goodput == nil || e.Latency != nil):
				t.Errorf("%s: %+v", name, e.Goodput)
			}
		}
		for _, f := range r.Findings {
			if f.ID == "duplicate-address" || f.ID == "duplicate-mac" {
				t.Errorf("one host at both ends is two to the checks: %s: %s", f.Subject, f.Have)
			}
		}
	}
}
