package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// A remote end that vanishes in the middle of a copy: the record has the time and what is known of the arrived data,
// and nothing is left on either side.
func TestMeasureCopyFarEndGone(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/three.yaml", p.path("three.yaml")), "0.004")
	for _, dir := range []string{"from", "to"} {
		testenv.Check(t, os.Mkdir(p.path(dir), 0o755))
	}
	cmd := p.command(t, "measure", "copy", "--from", "lab "+s.id+"/host1:"+p.path("from"), "--to",
		"lab "+s.id+"/host2:"+p.path("to"), "--to-address", "10.0.1.2",
		"--transport", "http", "--tool", "own", "--amount", "200MB", "--repeats", "1", "--json")
	done := make(chan answer)
	go func() { done <- finish(t, cmd) }()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(p.path("to"), "linerate-copy-*", "stream-0", "file-000000"))
		if len(found) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nothing arrives")
		}
	}
	s.on(t, "host2", "sh", "-c", `for p in /proc/[0-9]*; do if [ "$(readlink $p/ns/net)" = "$(readlink /proc/self/ns/net)" ] && tr '\0' ' ' < $p/cmdline | grep -q ' agent $'; then kill -9 ${p#/proc/}; fi; done`)
	a := <-done
	var r record.Run
	if err := json.Unmarshal([]byte(a.out), &r); err != nil || a.code != cli.ExitIncomplete || len(r.Experiments) != 1 {
		t.Fatalf("%v: %s", err, a)
	}
	if x := r.Experiments[0]; !strings.Contains(x.Failed, "after ") ||
		!strings.Contains(x.Failed, "how much of the 200 MB had arrived is not known, because host2 does not answer") ||
		!strings.Contains(x.Failed, "host2 is gone") || len(x.Repeats) > 0 {
		t.Errorf("failed: %s", x.Failed)
	}
	for _, dir := range []string{"from", "to"} {
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			left, err := os.ReadDir(p.path(dir))
			if err != nil || len(left) > 0 && time.Now().After(end) {
				t.Fatalf("left in %s: %v, %v", dir, left, err)
			}
			if len(left) == 0 {
				break
			}
		}
	}
}
