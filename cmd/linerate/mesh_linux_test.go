package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// The main example in the lab: every path is measured, and the run folder matches the contract.
func TestMeshInTheLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, mesh, p.path("mesh-10g.yaml"))
	dir := p.path("run")
	a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.02", "--repeats", "1", "-o", dir, "--json")
	r := a.run(t)
	// Goals of storage cannot be evaluated in a lab, and change nothing; that of the streams is checked below.
	if saturated := slices.ContainsFunc(r.Goals, func(g record.Goal) bool {
		return g.Name == "saturated" && g.Met != nil && *g.Met
	}); saturated != (a.code == cli.ExitDone) || a.code != cli.ExitDone && a.code != cli.ExitMissed {
		t.Fatalf("goals %+v, exit code %d: %s", r.Goals, a.code, a)
	}
	meshResult(t, r)
	meshFolder(t, dir)
	p.nothingLeft(t, 0)
}

func meshResult(t *testing.T, r *record.Run) {
	t.Helper()
	if r.Lab == nil || r.Lab.Scale != 0.02 {
		t.Fatalf("lab %+v, want scale 0.02", r.Lab)
	}
	var notRun []string
	streams, pings := 0, 0
	for _, e := range r.Experiments {
		switch {
		case e.Failed != "": // such a run has no manifest
			t.Errorf("%s -> %s: %s", e.From, e.To, e.Failed)
		case e.NotRun != "":
			notRun = append(notRun, e.Name)
		case e.Method == "storage":
			if b := e.Block; b == nil || e.Bytes == nil || e.Bytes.Median <= 0 || b.Read == nil ||
				b.Workers[0].Way != "nvme-tcp" || len(b.Hosts) != 2 || b.PerPercentStoring == nil {
				t.Errorf("%s: %+v", e.Name, b)
			}
		case e.Method == "copy":
			if c := e.Copy; c == nil || e.Seconds == nil || e.Seconds.Median <= 0 || len(c.Legs) != 1 || !c.Legs[0].Verified ||
				c.Legs[0].Sync == nil || len(c.Hosts) != 2 || c.Tool == "" {
				t.Errorf("%s: %+v", e.Name, c)
			}
		case e.Method == "latency":
			pings++
			if e.Latency == nil || e.Latency.P50 <= 0 || e.Latency.Count == 0 {
				t.Errorf("%s %s -> %s: latency %+v", e.Name, e.From, e.To, e.Latency)
			}
		case e.Method == "throughput":
			streams++
			if e.Ceiling == nil || e.Ceiling.Limit < 188e6 || e.Ceiling.Limit > 189e6 { // 200 Mb/s x 1448/1538
				t.Errorf("%s -> %s: ceiling %+v, want 188.3 Mb/s", e.From, e.To, e.Ceiling)
			}
			if e.Verdict == nil || e.Goodput == nil || e.Goodput.Median <= 0 {
				t.Errorf("%s -> %s (%s, %v): verdict %+v, goodput %+v", e.From, e.To, e.Direction, e.Settings, e.Verdict,
					e.Goodput)
			}
		}
	}
	if streams != 12 || pings != 3 || len(notRun) > 0 {
		t.Errorf("%d streams, %d pings, not run: %v", streams, pings, notRun)
	}
	met := map[string]string{}
	for _, g := range r.Goals {
		met[g.Name] = "unknown"
		if g.Met != nil {
			met[g.Name] = "judged"
		}
	}
	want := "map[copy-from-nas:unknown copy-to-nas:unknown frugal:judged saturated:judged sequential-read:unknown]"
	if fmt.Sprint(met) != want {
		t.Errorf("goals %v, want %s", met, want)
	}
}

func meshFolder(t *testing.T, dir string) {
	t.Helper()
	if err := runfolder.Verify(dir); err != nil {
		t.Error(err)
	}
	there := files(t, dir)
	for _, want := range []string{runfolder.JournalName, runfolder.ManifestName, "samples.parquet", runfolder.ReportName,
		"snapshots/desktop.idle.txtar", "snapshots/nas.idle.txtar", "snapshots/homelab.idle.txtar"} {
		if !slices.Contains(there, want) {
			t.Errorf("%s is not in the run folder: %v", want, there)
		}
	}
	snapshots := 0
	for _, f := range there {
		if strings.HasPrefix(f, "snapshots/") {
			snapshots++
		} else if strings.Contains(f, "/") || strings.HasPrefix(f, ".") {
			t.Errorf("%s has no business in the run folder", f)
		}
	}
	// Idle at both ends a host; before, up to three during, after a combination and end: late ones are left out.
	if least, most := 3*2+18*2*2, 3*2+18*2*5; snapshots < least || snapshots > most {
		t.Errorf("%d snapshots, want %d to %d", snapshots, least, most)
	}
	page, err := os.ReadFile(dir + "/" + runfolder.ReportName)
	if err != nil || len(page) > 500_000 || len(page) < 10_000 {
		t.Errorf("the page has %d bytes (%v), want at most 500 kB", len(page), err)
	}
	for _, outside := range []string{`src="http`, `href="http`, "@import", "url(http"} {
		if strings.Contains(string(page), outside) {
			t.Errorf("the page is not self-contained: it has %s", outside)
		}
	}
}

// The same as an unprivileged user, from a folder of their own.
func TestMeshAsOrdinaryUser(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("this user is an ordinary one: TestMeshInTheLab tries it")
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		missing(t, "the user nobody, as whom root tries what an ordinary user can do")
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	p := newPlace(t)
	p.env = []string{"PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + p.dir, "HOME=" + p.dir}
	fabric := copyFile(t, mesh, p.path("mesh-10g.yaml"))
	testenv.Check(t, os.Chown(p.dir, uid, gid))
	as := func(t testing.TB, args ...string) *exec.Cmd {
		cmd := p.command(t, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return cmd
	}
	if refused := p.upAndDown(t, as, fabric); refused != "" {
		missing(t, "user namespaces for ordinary users: "+refused)
	}
	a := finish(t, as(t, "run", fabric, "--lab", "--scale", "0.02", "--repeats", "1", "--experiments", "latency"))
	if a.code != cli.ExitDone {
		t.Fatalf("want exit code 0: %s", a)
	}
	if !strings.Contains(a.out, "desktop -> nas") || !strings.Contains(a.out, "RTT p50") {
		t.Errorf("the report has no round trips: %s", a)
	}
	runs, err := os.ReadDir(p.path("runs"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs: %v, %v", runs, err)
	}
	if err := runfolder.Verify(p.path("runs", runs[0].Name())); err != nil {
		t.Error(err)
	}
	p.nothingLeft(t, 0)
}
