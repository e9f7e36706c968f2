package doctor

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/golden"
)

// section is a part of a case: "-- a/needs --".
type section struct{ name, text string }

func sections(t *testing.T, path string) (about string, out []section) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		out = append(out, section{f.Name, string(f.Data)})
	}
	return string(archive.Comment), out
}

// gathered reads a case: for each host host (JSON of Host), needs (JSON of facts.Needs), and snapshot/SOURCE.
func gathered(t *testing.T, parts []section) *Gathered {
	t.Helper()
	g := &Gathered{Version: "v1"}
	snapshots := map[*Host]string{}
	var h *Host
	for _, p := range parts {
		name, what, ok := strings.Cut(p.name, "/")
		if !ok {
			continue
		}
		if what == "host" {
			h = &Host{}
			g.Hosts = append(g.Hosts, h)
			snapshots[h] = "schema linerate/snapshot/1\nhost " + name + "\nwhen 2026-11-22T10:00:00Z\nos linux\n"
		}
		var err error
		switch source, snapshot := strings.CutPrefix(what, "snapshot/"); {
		case snapshot:
			snapshots[h] += "-- " + source + " --\n" + p.text
		case what == "host":
			err = json.Unmarshal([]byte(p.text), h)
		case what == "needs":
			h.Needs = &facts.Needs{}
			err = json.Unmarshal([]byte(p.text), h.Needs)
		}
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
	}
	for _, h := range g.Hosts {
		if text := snapshots[h]; strings.Contains(text, "\n-- ") {
			f, err := read.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			h.Facts = f
		}
	}
	return g
}

func said(lines []Line, topic string) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Topic != topic {
			continue
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", l.Host, l.State, l.Text)
		for _, d := range l.Do {
			fmt.Fprintf(&b, "  %s$ %s\n", l.On, d)
		}
	}
	return b.String()
}

// Each topic prints exactly the expected text of its case, and only ok for a healthy host.
func TestTopics(t *testing.T) {
	for _, topic := range topics {
		if topic.ID == "folder" || topic.ID == "guests" { // of this machine only: below
			continue
		}
		t.Run(topic.ID, func(t *testing.T) {
			path := filepath.Join("testdata", topic.ID+".txtar")
			about, parts := sections(t, path)
			got := said(Look(gathered(t, parts)), topic.ID)
			want := parts[len(parts)-1]
			if want.name != "want" {
				t.Fatal("the last section is want")
			}
			if golden.Updates() {
				text := about
				for _, p := range parts[:len(parts)-1] {
					text += "-- " + p.name + " --\n" + p.text
				}
				golden.Write(t, path, text+"-- want --\n"+got)
				return
			}
			if got != want.text {
				t.Errorf("got\n%s\nwant\n%s", got, want.text)
			}
		})
	}
}

// The topics of this machine only, healthy and faulty.
func TestThisMachine(t *testing.T) {
	for _, c := range []struct {
		folder Folder
		lab    *Lab
		want   string
	}{
		{Folder{"/r", unit.Known(unit.Bytes(40e9)), true}, nil, "folder ok "},
		{Folder{"/r", unit.Known(unit.Bytes(500e6)), true}, nil, "folder warning df -h"},
		{Folder{"/r", unit.Known(unit.Bytes(1e6)), true}, nil, "folder problem du -xsh"},
		{Folder{"/r", unit.Known(unit.Bytes(40e9)), false}, nil, "folder problem mkdir -p"},
		{Folder{"/r", unit.Unknown[unit.Bytes]("statfs: stale handle"), true}, nil, "folder not known "},
		{Folder{}, &Lab{QEMU: "/q", Images: []string{"small"}}, "guests ok |guests ok "},
		{Folder{}, &Lab{QEMU: "/q", NoKVM: "there is no /dev/kvm", Missing: []string{"small"}},
			"guests warning ls -l /dev/kvm|guests warning linerate lab build"},
		{Folder{}, &Lab{Problem: "qemu-system-x86_64 is not here", Try: "apt-get install qemu-system-x86"},
			"guests warning apt-get install"},
		{Folder{}, &Lab{QEMU: "/q", Cache: "no HOME"}, "guests ok |guests not known "},
	} {
		var got []string
		for _, l := range Look(&Gathered{Folder: c.folder, Lab: c.lab}) {
			got = append(got, l.Topic+" "+string(l.State)+" "+strings.Join(l.Do, "; "))
		}
		want := strings.Split(c.want, "|")
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%+v: got %q, want %q", c.folder, got, want)
		}
	}
}

// Every problem has a command to type, every unknown has a reason, and an unreachable host has only that line.
func TestEveryProblemEndsInACommand(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < len(topics)-2 {
		t.Fatalf("%d cases of %d topics: %v", len(files), len(topics), err)
	}
	for _, path := range files {
		_, parts := sections(t, path)
		g := gathered(t, parts)
		for _, l := range Look(g) {
			switch {
			case l.State == Problem && len(l.Do) == 0:
				t.Errorf("%s: %s: %s: nothing to type", path, l.Host, l.Text)
			case l.State == NotKnown && !strings.HasPrefix(l.Text, "not known, because "):
				t.Errorf("%s: %q does not say why", path, l.Text)
			case l.Text == "" || strings.Contains(l.Text, "%!"):
				t.Errorf("%s: %q", path, l.Text)
			}
			for _, h := range g.Hosts {
				if h.Failure != nil && l.Host == h.Name && l.Topic != "connection" {
					t.Errorf("%s: %s was not reached, and yet: %s", path, h.Name, l.Text)
				}
			}
		}
	}
}

// Missing data never causes a panic.
func TestNothingKnown(t *testing.T) {
	for _, os := range []string{"linux", "freebsd", "windows", "darwin", ""} {
		for _, h := range []*Host{{Name: "x", Connection: "ssh x", OS: os},
			{Name: "x", Here: true, OS: os, Needs: &facts.Needs{}},
			{Name: "x", OS: os, Facts: &facts.Facts{}, Needs: &facts.Needs{UID: -1}}} {
			for _, l := range Look(&Gathered{Hosts: []*Host{h}}) {
				if strings.Contains(l.Text, "error of this program") {
					t.Errorf("%s: %s: %s", os, l.Topic, l.Text)
				}
			}
		}
	}
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		lines           []Line
		problem, silent bool
	}{
		{nil, false, false},
		{[]Line{{Topic: "load", State: Warning}, {Topic: "pcie", State: NotKnown}}, false, false},
		{[]Line{{Topic: "mtu", State: Problem}}, true, false},
		{[]Line{{Topic: "connection", State: Problem}}, true, true},
		{[]Line{{Topic: "connection", State: NotKnown}}, false, false},
	} {
		if p, s := Worst(c.lines); p != c.problem || s != c.silent {
			t.Errorf("%v: got %v, %v", c.lines, p, s)
		}
	}
}
