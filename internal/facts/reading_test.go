package facts

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// What a capture of this machine holds, or misses, stands in the table of what is read; and what is read while a measurement
// runs is marked so there.
func TestReadingsHere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, level := range []Level{Full, Counters} {
		text, err := Collect(context.Background(), level)
		if err != nil {
			t.Fatal(err)
		}
		a := parseArchive(text)
		h, err := parseHeader(a.Comment)
		if err != nil {
			t.Fatal(err)
		}
		var sources []string
		for _, f := range a.Files {
			sources = append(sources, f.Name)
		}
		for _, u := range h.unknown {
			if strings.Contains(u.Reason, "internal/facts/reading.go") {
				t.Errorf("%s: %s", u.Subject, u.Reason)
			}
		}
		if len(sources) == 0 {
			t.Fatal("the capture is empty")
		}
		for _, s := range sources {
			i := slices.IndexFunc(Readings(runtime.GOOS), func(r Reading) bool { _, ok := match(r.Source, s); return ok })
			if i < 0 || level == Counters && runtime.GOOS == "linux" && !Readings(runtime.GOOS)[i].Light {
				t.Errorf("at the level %s, %s was read", level, s)
			}
		}
	}
}

// Every source that is read is one that facts are made of, and stands in the table once.
func TestReadingsAreParsed(t *testing.T) {
	for _, os := range []string{"linux", "freebsd", "windows"} {
		seen := map[string]bool{}
		for _, r := range Readings(os) {
			name := strings.ReplaceAll(r.Source, "*", "x0")
			if r.Source == versionsSource {
				name = versionsSource
			}
			_, _, ok := find(sources(), name, os, nil)
			// The list of devices says only that there are none; a carrier's changes have no fact of their own yet.
			if !ok && r.Source != "ls /sys/class/infiniband" && r.Source != "" {
				t.Errorf("%s: no parser for %s", os, r.Source)
			}
			if seen[r.Source] && r.Source != "" || r.What == "" || r.How == "" {
				t.Errorf("%s: %+v stands there twice, or says too little", os, r)
			}
			seen[r.Source] = true
		}
	}
}

// What stands in no line is neither read nor started.
func TestNotAnnounced(t *testing.T) {
	if announced("linux", "etc/shadow") == nil || announced("linux", "ethtool -E eth0") == nil {
		t.Error("a source that is in no table is read")
	}
	if err := announced("linux", "ethtool -k eth0"); err != nil {
		t.Error(err)
	}
	for _, argv := range [][]string{{"nft", "flush", "ruleset"}, {"nft"}, {"sh", "-c", "id"}} {
		if announcedProgram("linux", argv) == nil {
			t.Errorf("%v is started", argv)
		}
	}
	if err := announcedProgram("linux", []string{"nft", "list", "ruleset"}); err != nil {
		t.Error(err)
	}
}
