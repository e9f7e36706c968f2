package collect

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// Every source of a snapshot of this machine, missing ones included, is in the table, and those that are read during a
// measurement are marked.
func TestReadingsHere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	for _, level := range []facts.Level{facts.Full, facts.Counters} {
		text, err := Collect(context.Background(), level, "")
		if err != nil {
			t.Fatal(err)
		}
		a := snapshot.ParseArchive(text)
		h, err := snapshot.ReadHeader(a.Comment)
		if err != nil {
			t.Fatal(err)
		}
		var sources []string
		for _, f := range a.Files {
			sources = append(sources, f.Name)
		}
		for _, u := range h.Unknown {
			if strings.Contains(u.Reason, "internal/host/collect/reading.go") {
				t.Errorf("%s: %s", u.Subject, u.Reason)
			}
		}
		if len(sources) == 0 {
			t.Fatal("the snapshot is empty")
		}
		for _, s := range sources {
			i := slices.IndexFunc(Readings(runtime.GOOS), func(r Reading) bool { _, ok := parse.Match(r.Source, s); return ok })
			if i < 0 || level == facts.Counters && runtime.GOOS == "linux" && !Readings(runtime.GOOS)[i].Light {
				t.Errorf("at the level %s, %s was read", level, s)
			}
		}
	}
}

// Every source that is read is parsed into facts, and is in the table once.
func TestReadingsAreParsed(t *testing.T) {
	for _, os := range []string{"linux", "freebsd", "windows"} {
		seen := map[string]bool{}
		for _, r := range Readings(os) {
			name := strings.ReplaceAll(r.Source, "*", "x0")
			if r.Source == linux.VersionsSource {
				name = linux.VersionsSource
			}
			_, _, ok := read.Find(read.Sources(), name, os, nil)
			// The list of devices only shows that there are none. Changes of a carrier are not a fact yet.
			if !ok && r.Source != "ls /sys/class/infiniband" && r.Source != "" {
				t.Errorf("%s: no parser for %s", os, r.Source)
			}
			if seen[r.Source] && r.Source != "" || r.What == "" || r.How == "" {
				t.Errorf("%s: %+v is in the table twice, or has too little", os, r)
			}
			seen[r.Source] = true
		}
	}
}

// A file or program that is not in the table is neither read nor started.
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

func BenchmarkCollectCounters(b *testing.B) { benchmarkCollect(b, facts.Counters) }

func BenchmarkCollectFull(b *testing.B) { benchmarkCollect(b, facts.Full) }

func benchmarkCollect(b *testing.B, level facts.Level) {
	for b.Loop() {
		c, err := Collect(context.Background(), level, "")
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(c)), "snapshot-bytes")
	}
}

func FuzzProbes(f *testing.F) {
	f.Add([]byte("rtt 0.1\nsize 84 answered\nsize 9000 silent\nanswer 02:00:00:00:00:01\n10.1.0.2 dev e1 src 10.1.0.1\n"))
	f.Add([]byte(probe.NotTried + "x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v := parse.NewBuilder(new(facts.Facts))
		_ = probe.ReadPathProbe(v, []string{"10.0.0.1"}, text)
		_ = probe.ReadOwnerProbe(v, []string{"10.0.0.1", "e0"}, text)
		_ = probe.ReadWay(v, []string{"10.0.0.1"}, text)
		for _, p := range v.Probes.Paths {
			if p.Asked <= 0 || p.Through.Or(0) > p.Asked {
				t.Fatal(p)
			}
		}
		parseEchoReply(text, false, true, 0)
		parseARP(text)
	})
}
