package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/quick"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/survey"
	"linerate/internal/testenv"
)

// twoEnds are a looker of this machine, called desk, and nas.
func twoEnds(t *testing.T) (*inventory.Looker, *survey.Draft) {
	t.Helper()
	l := &inventory.Looker{Ends: inventory.Ends{From: []string{"local", "nas"}, Connection: map[string]connect.Spec{}}}
	d := &survey.Draft{}
	for i, text := range []string{"local", "ssh root@nas.lan"} {
		spec := testenv.Must(connect.Parse(text))(t)
		name := l.Ends.From[i]
		l.Ends.Connection[name] = spec
		f := &facts.Facts{Host: []string{"desk", "nas.lan"}[i], OS: "linux"}
		f.NICs = []facts.Interface{{Name: "e0",
			Addresses: []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 9, 0, byte(i + 1)}), 24)}}}
		d.Hosts = append(d.Hosts, &survey.Host{Machine: survey.Machine{Name: []string{"desk", "nas"}[i], Facts: f}})
	}
	return l, d
}

// Arguments of --to: the machine of the folder, and the errors.
func TestQuickStorage(t *testing.T) {
	l, _ := twoEnds(t)
	here := testenv.Must(filepath.Abs("tank"))(t)
	for _, c := range []struct {
		text string
		end  int
		path string
		says string
	}{
		{"/mnt/tank", 0, "/mnt/tank", ""},
		{"tank", 0, here, ""},
		{"nas:/tank", 1, "/tank", ""},
		{"root@nas.lan:/tank", 1, "/tank", ""},
		{"ssh root@nas.lan:/tank", 1, "/tank", ""},
		{`nas:D:\tank`, 1, `D:\tank`, ""},
		{"local:/tank", 0, "/tank", ""},
		{"nas:tank", 1, "", "from its root on"},
		{"nsa:/tank", 0, "", "nsa is none of the two machines"},
		{"", 0, "", "write a PATH"},
		{"/mnt/a\nb", 0, "", "without control characters"},
		{"/" + strings.Repeat("x", 300), 0, "", "at most 200 bytes"},
	} {
		got, err := quick.Stores(l, []string{c.text}, "root@nas.lan")
		switch {
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q: %v, want %q", c.text, err, c.says)
			}
		case err != nil:
			t.Errorf("%q: %v", c.text, err)
		case got[0].End != c.end || got[0].Path != c.path:
			t.Errorf("%q: %+v", c.text, got[0])
		}
	}
	if _, err := quick.Stores(l, []string{"/a", "/a"}, "nas"); err == nil ||
		!strings.Contains(err.Error(), "there twice") {
		t.Errorf("a folder twice: %v", err)
	}
	l.Ends.Connection["local"], _ = connect.Parse("netns x")
	if _, err := quick.Stores(l, []string{"tank"}, "nas"); err == nil ||
		!strings.Contains(err.Error(), "from its root on") {
		t.Errorf("a folder of another machine: %v", err)
	}
}

// The location of a folder: on a drive of the client, on a share of the other machine, on that of a third; and the
// largest file that fits.
func TestQuickStoragePlaced(t *testing.T) {
	free := func(n unit.Bytes) *int64 { v := int64(n); return &v }
	room := func(system, source string) facts.Room {
		return facts.Room{Kind: "folder", FileSystem: system, Source: source, Free: free(100 * unit.GiB)}
	}
	for _, c := range []struct {
		room  facts.Room
		drive string
		span  unit.Bytes
		says  string // of the error, or of the note
	}{
		{room("ext4", "/dev/sda1"), "desk.tank", quick.MostSpan, "(ext4, /dev/sda1)"},
		{room("nfs4", "10.9.0.2:/tank"), "nas.tank", quick.MostSpan, "(nfs4, 10.9.0.2:/tank)"},
		{room("nfs4", "NAS:/tank"), "nas.tank", quick.MostSpan, ""},
		{room("cifs", "//nas.lan/tank"), "nas.tank", quick.MostSpan, ""},
		{room("fuse.sshfs", "root@nas:/"), "nas.tank", quick.MostSpan, ""},
		{room("cifs", "//10.9.0.77/tank"), "desk.tank", quick.MostSpan,
			"which 10.9.0.77 serves: that machine is not looked at"},
		{facts.Room{Kind: "folder", Free: free(100 * unit.MiB)}, "desk.tank", 25 * unit.MiB, ""},
		{facts.Room{Kind: "folder"}, "desk.tank", quick.MostSpan, ""},
		{facts.Room{Kind: "folder", Free: free(60 * unit.MiB)}, "", 0, "60 MiB are free"},
		{facts.Room{Kind: "folder", Missing: "this user may not write there"}, "", 0, "this user may not write there"},
		{facts.Room{Missing: "no such file or directory"}, "", 0, "no such file"},
		{facts.Room{Kind: "file", Missing: "it is not a folder"}, "", 0, "linerate measure storage --to /mnt/tank"},
		{facts.Room{Kind: "device", Missing: "it is not a folder"}, "", 0, "it is a device"},
	} {
		l, d := twoEnds(t)
		s := &quick.Store{Given: "/mnt/tank", Path: "/mnt/tank"}
		span, err := quick.PlaceStores(t.Context(), l, d, []*quick.Store{s},
			[]facts.Needs{{Rooms: []facts.Room{c.room}}, {}})
		if err != nil {
			if c.drive != "" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v", c.room, err)
			}
			continue
		}
		if s.Drive != c.drive || span != c.span || !strings.Contains(s.Text("desk", span), c.says) {
			t.Errorf("%+v: %s, %v, %s", c.room, s.Drive, span, s.Text("desk", span))
		}
		of := d.Hosts[0]
		if strings.HasPrefix(c.drive, "nas.") {
			of = d.Hosts[1]
		}
		if len(of.Drives) != 1 || (of.Drives[0].Path == "") != (of == d.Hosts[1]) {
			t.Errorf("%+v: the drive %+v", c.room, of.Drives)
		}
	}
}

// A server that does not answer, and invalid arguments, leave no run folder behind.
func TestQuickWrites(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		says string
		args []string
	}{
		{"none of the two machines", []string{"quick", "netns a", "--to", "nsb:/x"}},
		{"omit one of the two", []string{"quick", "--lab", "--to", "/tmp"}},
		{"--scale: the scale is chosen when a lab is built\nhelp: add --lab", []string{"quick", "netns a", "--scale", "0.1"}},
		{"--scale 2: a share of the planned rates", []string{"quick", "--lab", "--scale", "2"}},
		{"--repeats 0: at least 1 and at most 1000", []string{"quick", "--lab", "--repeats", "0"}},
	} {
		if a := call(t, nil, c.args...); a.code != cli.ExitInput || !strings.Contains(a.err, c.says) {
			t.Errorf("%q: %s", c.args, a)
		}
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("a refused quick has made a folder")
	}
}

// The configured time is measured.
func TestTimeParameter(t *testing.T) {
	for _, d := range []time.Duration{100 * time.Millisecond, time.Second, 1500 * time.Millisecond, time.Minute} {
		if got, err := unit.ParseDuration(quick.TimeParameter(d)); err != nil || got != d {
			t.Errorf("%v: %v, %v", d, got, err)
		}
	}
}
