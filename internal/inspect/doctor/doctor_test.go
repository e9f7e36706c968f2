package doctor

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

var update = flag.Bool("update", false, "write what is said into testdata")

// section is a part of a case: "-- a/needs --".
type section struct{ name, text string }

func sections(t *testing.T, path string) (about string, out []section) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- "); ok && strings.HasSuffix(line, " --\n") {
			out = append(out, section{name: name})
		} else if len(out) == 0 {
			about += line
		} else {
			out[len(out)-1].text += line
		}
	}
	return about, out
}

// gathered makes what a case says was found: of each host host (JSON of Host), needs (JSON of facts.Needs), and capture/SOURCE.
func gathered(t *testing.T, parts []section) *Gathered {
	t.Helper()
	g := &Gathered{Version: "v1"}
	captures := map[*Host]string{}
	var h *Host
	for _, p := range parts {
		name, what, ok := strings.Cut(p.name, "/")
		if !ok {
			continue
		}
		if what == "host" {
			h = &Host{}
			g.Hosts = append(g.Hosts, h)
			captures[h] = "schema linerate/capture/1\nhost " + name + "\nwhen 2026-11-22T10:00:00Z\nos linux\n"
		}
		var err error
		switch source, capture := strings.CutPrefix(what, "capture/"); {
		case capture:
			captures[h] += "-- " + source + " --\n" + p.text
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
		if text := captures[h]; strings.Contains(text, "\n-- ") {
			f, err := facts.Parse([]byte(text))
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

// Each topic says word for word what its case wants, and of a host that is as it should be nothing else than ok.
func TestTopics(t *testing.T) {
	for _, topic := range topics {
		if topic.ID == "folder" || topic.ID == "guests" { // of this machine alone: below
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
			if *update {
				text := about
				for _, p := range parts[:len(parts)-1] {
					text += "-- " + p.name + " --\n" + p.text
				}
				if err := os.WriteFile(path, []byte(text+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want.text {
				t.Errorf("got\n%s\nwant\n%s", got, want.text)
			}
		})
	}
}

// What is of this machine alone, as it is and as it is not right.
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
		{Folder{}, &Lab{QEMU: "/q", NoKVM: "there is no /dev/kvm", Missing: []string{"small"}}, "guests warning ls -l /dev/kvm|guests warning linerate lab build"},
		{Folder{}, &Lab{Lacks: "qemu-system-x86_64 is not here", Try: "apt-get install qemu-system-x86"}, "guests warning apt-get install"},
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

// Every problem says what to type, what is not known says why, and a host that was not reached says nothing but that.
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
				if h.Failure != nil && l.Host == h.Name && l.Topic != "reach" {
					t.Errorf("%s: %s was not reached, and yet: %s", path, h.Name, l.Text)
				}
			}
		}
	}
}

// What is wrong in a gathering is never a panic, whatever is missing of it.
func TestNothingKnown(t *testing.T) {
	for _, os := range []string{"linux", "freebsd", "windows", "darwin", ""} {
		for _, h := range []*Host{{Name: "x", Reach: "ssh x", OS: os}, {Name: "x", Here: true, OS: os, Needs: &facts.Needs{}}, {Name: "x", OS: os, Facts: &facts.Facts{}, Needs: &facts.Needs{UID: -1}}} {
			for _, l := range Look(&Gathered{Hosts: []*Host{h}}) {
				if strings.Contains(l.Text, "mistake of this program") {
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
		{[]Line{{Topic: "reach", State: Problem}}, true, true},
		{[]Line{{Topic: "reach", State: NotKnown}}, false, false},
	} {
		if p, s := Worst(c.lines); p != c.problem || s != c.silent {
			t.Errorf("%v: got %v, %v", c.lines, p, s)
		}
	}
}
