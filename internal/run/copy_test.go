package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/traffic"
)

const copyFabric = `
fabric: copies
hosts:
  nas: {os: linux, nics: {a: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}, drives: {tank: {path: /mnt/tank, mounts: {pc: /mnt/nas}}, isos: {path: /mnt/isos, shares: {smb: //alice@nas:4450/isos/new}, login: env:LINERATE_TEST_NAS}, pub: {path: /srv/ftp, shares: {ftp: "ftp://nas/pub", http: "http://nas:8080/pub"}}, out: {path: /mnt/out, export: smb}, bare: {}, plain: {path: /mnt/plain}}}
  pc: {os: linux, nics: {a: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}, drives: {disk: {path: /home}, other: {path: /srv}}}
links:
  - {ends: [nas.a, pc.a], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
experiments:
  here: {method: copy, from: pc.disk, to: pc.other, transport: local, amount: 1GB, files: [1, 100]}
  mounted: {method: copy, from: nas.tank, to: pc.disk, amount: 1GB}
  upload: {method: copy, from: pc.disk, to: nas.tank, direction: [out, in, both], streams: 3}
  share: {method: copy, from: pc.disk, to: nas.isos, transport: smb}
  said: {method: copy, from: nas.isos, to: pc.disk}
  files: {method: copy, from: nas.pub, to: pc.disk, transport: [ftp, http]}
  which: {method: copy, from: nas.pub, to: pc.disk}
  samba: {method: copy, from: nas.out, to: pc.disk}
  web: {method: copy, from: nas.plain, to: pc.disk, transport: http}
  secure: {method: copy, from: nas.plain, to: pc.disk, transport: ssh, tool: [scp, rsync], cache: warm}
  pathless: {method: copy, from: nas.bare, to: pc.disk, transport: http}
  ftp: {method: copy, from: nas.plain, to: pc.disk, transport: ftp}
  few: {method: copy, from: nas.plain, to: pc.disk, transport: http, streams: 4, files: 2}
  direct: {method: copy, from: nas.plain, to: pc.disk, transport: smb-direct}
`

func copyCells(t *testing.T, o Options) map[string][]*Cell {
	t.Helper()
	catalog := partsOnce(t)
	f, problems := fabric.Parse("copy.yaml", []byte(copyFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cells, err := Cells(plan.Build(f), o)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]*Cell{}
	for _, c := range cells {
		out[c.Exp.Name] = append(out[c.Exp.Name], c)
	}
	return out
}

func TestCopyCells(t *testing.T) {
	cells := copyCells(t, Options{})
	for _, k := range []struct {
		name, over, asks, from, to string
		hosts                      []string
	}{
		{"here", copyPath, "pc", "/home", "/srv", []string{"pc"}},
		{"mounted", copyPath, "pc", "/mnt/nas", "/home", []string{"nas", "pc"}},
		{"upload", copyPath, "pc", "/home", "/mnt/nas", []string{"nas", "pc"}},
		{"share", copySMB, "pc", "/home", "/mnt/isos", []string{"nas", "pc"}},
		{"said", copySMB, "pc", "/mnt/isos", "/home", []string{"nas", "pc"}},
		{"samba", copySMB, "pc", "/mnt/out", "/home", []string{"nas", "pc"}},
		{"web", copyHTTP, "pc", "/mnt/plain", "/home", []string{"nas", "pc"}},
		{"secure", copySSH, "nas", "/mnt/plain", "/home", []string{"nas", "pc"}},
	} {
		c := cells[k.name][0]
		b := c.copy
		if c.Exp.NotRun != "" || b.over != k.over || b.asks != k.asks || b.ends[0].path != k.from || b.ends[1].path != k.to || !slices.Equal(c.Hosts(), k.hosts) || c.StandsIn() {
			t.Errorf("%s: not run %q, over %s on %s, %+v, hosts %v", k.name, c.Exp.NotRun, b.over, b.asks, b.ends, c.Hosts())
		}
	}
	if b := cells["share"][0].copy; b.share == nil || b.share.At() != "//nas/isos" || b.served != 1 || b.login != "LINERATE_TEST_NAS" {
		t.Errorf("the user's own share: %+v, end %d", b.share, b.served)
	}
	for i, at := range []string{"ftp://nas", "http://nas:8080"} {
		if b := cells["files"][i].copy; b.share == nil || b.share.At() != at || b.share.Folder != "pub" || b.served != 0 || b.asks != "pc" || cells["files"][i].Exp.NotRun != "" {
			t.Errorf("%s: %+v, %s", at, b.share, cells["files"][i].Exp.NotRun)
		}
	}
	if all := cells["here"]; len(all) != 2 || all[1].copy.files != 100 || all[1].copy.amount != 1e9 || len(all[0].paths()) != 0 {
		t.Errorf("%d cells", len(all))
	}
	legs := cells["upload"]
	if len(legs) != 3 || len(legs[2].copy.legs) != 2 || legs[1].copy.legs[0] != [2]int{1, 0} || legs[0].copy.files != 3 || legs[0].copy.amount != unit.GiB || !legs[0].whole() {
		t.Errorf("directions: %+v", legs)
	}
	if s := cells["secure"]; len(s) != 2 || s[1].copy.tool != "rsync" || s[0].copy.cache != agent.CopyWarm || len(s[0].Exp.Links) != 1 || s[0].Exp.ID == s[1].Exp.ID {
		t.Errorf("tools: %+v", s)
	}
	for name, says := range map[string]string{"pathless": "nas.bare has no path", "ftp": "how pc gets at nas.plain over ftp is not known", "which": "how pc gets at nas.pub over the network is not known", "few": "files: 2 are less than the 4 streams", "direct": "over smb-direct is not known"} {
		if c := cells[name][0]; !strings.Contains(c.Exp.NotRun, says) {
			t.Errorf("%s: not run %q, want %q", name, c.Exp.NotRun, says)
		}
	}
}

// The password of the user's own server is in a variable, with its user if the share names none; what is missing is said, and the password never.
func TestCopyLogin(t *testing.T) {
	b := copyCells(t, Options{})["share"][0].copy
	for _, k := range []struct{ user, secret, want string }{
		{"alice", "s:cret", "alice s:cret"},
		{"", "bob:s:cret", "bob s:cret"},
		{"", "s3cret", "login env:LINERATE_TEST_NAS: whose password it is is not known; write the user into the share, USER@nas, or USER:PASSWORD into the variable"},
		{"alice", "", "login env:LINERATE_TEST_NAS: the variable LINERATE_TEST_NAS is not set where linerate runs; set it to the password of the share"},
		{"alice", "a\nb", "login env:LINERATE_TEST_NAS: the variable has more than one line, and a password has one"},
	} {
		t.Setenv("LINERATE_TEST_NAS", k.secret)
		b.share.User = k.user
		v, err := b.theirs()
		got := ""
		if err != nil {
			got = err.Error()
		} else if got = v.User + " " + v.Password; v.At != "//nas/isos" || v.Port != 4450 || v.Prefix != "new" || v.What != "your own, //nas:4450/isos/new" || !v.Theirs {
			t.Errorf("%+v", v)
		}
		if got != k.want {
			t.Errorf("%q, want %q", got, k.want)
		}
	}
	b.login = ""
	if v, err := b.theirs(); err != nil || v.Password != "" {
		t.Errorf("without a login: %+v, %v", v, err)
	}
}

// A login that was refused is not tried again in another cell; another user's is.
func TestCopyRefusedOnce(t *testing.T) {
	s := &session{}
	v := &agent.Shared{Kind: copySMB, At: "//nas/isos", User: "alice", Password: "a", Theirs: true}
	if err := s.refusedBefore(v); err != nil {
		t.Error(err)
	}
	s.keepRefusal(v, &traffic.Error{Code: traffic.CodeUnreachable, Text: "the server does not answer"})
	s.keepRefusal(&agent.Shared{Kind: copySMB, At: "//nas/isos", User: "alice"}, &traffic.Error{Code: traffic.CodeRefused, Text: "linerate's own"})
	if err := s.refusedBefore(v); err != nil {
		t.Errorf("it was no refusal: %v", err)
	}
	s.keepRefusal(v, fmt.Errorf("pc: %w", &traffic.Error{Code: traffic.CodeRefused, Subject: "smbclient at //nas/isos", Text: "the server refuses the password"}))
	if err := s.refusedBefore(v); err == nil || err.Error() != "smbclient at //nas/isos: not tried again, because this login was refused: the server refuses the password" {
		t.Error(err)
	}
	if err := s.refusedBefore(&agent.Shared{Kind: copySMB, At: "//nas/isos", User: "bob", Theirs: true}); err != nil {
		t.Error(err)
	}
	if err := s.refusedBefore(nil); err != nil {
		t.Error(err)
	}
}

// In a lab everything can be copied: what the hosts cannot have stands in, and no host has to be a guest.
func TestCopyInALab(t *testing.T) {
	for name, all := range copyCells(t, Options{Lab: true}) {
		b := all[0].copy
		if name == "few" {
			continue
		}
		over, instead := copyHTTP, ""
		switch name {
		case "here":
			over = copyPath
		case "share":
			over = copySMB
		case "files":
			instead = "ftp"
		case "direct":
			over, instead = copySMB, "smb-direct"
		case "ftp":
			instead = "ftp"
		case "secure":
			instead = "ssh"
		}
		if all[0].Exp.NotRun != "" || b.over != over || !strings.HasPrefix(b.instead, instead) || (instead == "") != (b.instead == "") || !all[0].StandsIn() || b.ends[0].path != agent.TemporaryFolder || b.take {
			t.Errorf("%s: not run %q, over %s in place of %q, %+v", name, all[0].Exp.NotRun, b.over, b.instead, b.ends)
		}
	}
}

// A copy that differs is told by the first file that is not as it should be.
func TestCopyDiffers(t *testing.T) {
	want := agent.CopyPlaced{Files: 2, Bytes: 30, First: []agent.CopySum{{Name: "stream-0/file-000000", Size: 10, Sum: "aa"}, {Name: "stream-0/file-000001", Size: 20, Sum: "bb"}}}
	for says, have := range map[string]agent.CopyPlaced{
		"1 files with 10 B arrived of 2 with 30 B":   {Files: 1, Bytes: 10},
		"stream-0/file-000001 is not there":          {Files: 2, Bytes: 30, First: []agent.CopySum{want.First[0], {Name: "x", Size: 20}}},
		"stream-0/file-000000 has 9 B of 10 B":       {Files: 2, Bytes: 30, First: []agent.CopySum{{Name: "stream-0/file-000000", Size: 9}, {Name: "stream-0/file-000001", Size: 21}}},
		"stream-0/file-000001 has the checksum cc":   {Files: 2, Bytes: 30, First: []agent.CopySum{want.First[0], {Name: "stream-0/file-000001", Size: 20, Sum: "cc"}}},
		"the checksums of all files together differ": {Files: 2, Bytes: 30, First: want.First},
	} {
		if got := differs(want, have); !strings.Contains(got, says) {
			t.Errorf("%q, want %q", got, says)
		}
	}
}

// A file can name every tool that there is.
func TestCopyToolNames(t *testing.T) {
	names, over := agent.CopyTools()
	for _, name := range names {
		if values, wrong := fabric.Values(Copy, "tool", []string{name}); len(wrong) > 0 || len(values) != 1 || len(over[name]) == 0 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}
