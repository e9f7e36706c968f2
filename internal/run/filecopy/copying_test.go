package filecopy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/agent/copies"
	"linerate/internal/base/failure"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
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

func copyCombinations(t *testing.T, o experiment.Options) map[string][]*experiment.Combination {
	t.Helper()
	catalog := runtest.Catalog(t)
	f, problems := fabric.Parse("copy.yaml", []byte(copyFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	combinations := runtest.Expand(plan.Build(f), o, Expand)
	out := map[string][]*experiment.Combination{}
	for _, c := range combinations {
		out[c.Record.Name] = append(out[c.Record.Name], c)
	}
	return out
}

func TestCopyCombinations(t *testing.T) {
	combinations := copyCombinations(t, experiment.Options{})
	for _, k := range []struct {
		name, over, asks, from, to string
		hosts                      []string
	}{
		{"here", overPath, "pc", "/home", "/srv", []string{"pc"}},
		{"mounted", overPath, "pc", "/mnt/nas", "/home", []string{"nas", "pc"}},
		{"upload", overPath, "pc", "/home", "/mnt/nas", []string{"nas", "pc"}},
		{"share", overSMB, "pc", "/home", "/mnt/isos", []string{"nas", "pc"}},
		{"said", overSMB, "pc", "/mnt/isos", "/home", []string{"nas", "pc"}},
		{"samba", overSMB, "pc", "/mnt/out", "/home", []string{"nas", "pc"}},
		{"web", overHTTP, "pc", "/mnt/plain", "/home", []string{"nas", "pc"}},
		{"secure", overSSH, "nas", "/mnt/plain", "/home", []string{"nas", "pc"}},
	} {
		c := combinations[k.name][0]
		b := copyingOf(c)
		if c.Record.NotRun != "" || b.over != k.over || b.client != k.asks || b.ends[0].path != k.from ||
			b.ends[1].path != k.to ||
			!slices.Equal(c.Hosts(), k.hosts) ||
			b.Substituted() {
			t.Errorf("%s: not run %q, over %s on %s, %+v, hosts %v", k.name, c.Record.NotRun, b.over, b.client, b.ends,
				c.Hosts())
		}
	}
	if b := copyingOf(combinations["share"][0]); b.share == nil || b.share.At() != "//nas/isos" || b.served != 1 ||
		b.login != "LINERATE_TEST_NAS" {
		t.Errorf("the user's own share: %+v, end %d", b.share, b.served)
	}
	for i, at := range []string{"ftp://nas", "http://nas:8080"} {
		b := copyingOf(combinations["files"][i])
		if b.share == nil || b.share.At() != at || b.share.Folder != "pub" || b.served != 0 || b.client != "pc" ||
			combinations["files"][i].Record.NotRun != "" {
			t.Errorf("%s: %+v, %s", at, b.share, combinations["files"][i].Record.NotRun)
		}
	}
	if all := combinations["here"]; len(all) != 2 || copyingOf(all[1]).files != 100 ||
		copyingOf(all[1]).amount != 1e9 ||
		len(all[0].Paths()) != 0 {
		t.Errorf("%d combinations", len(all))
	}
	legs := combinations["upload"]
	if len(legs) != 3 || len(copyingOf(legs[2]).legs) != 2 || copyingOf(legs[1]).legs[0] != [2]int{1, 0} ||
		copyingOf(legs[0]).files != 3 ||
		copyingOf(legs[0]).amount != unit.GiB ||
		!legs[0].OpenEnded() {
		t.Errorf("directions: %+v", legs)
	}
	if s := combinations["secure"]; len(s) != 2 || copyingOf(s[1]).tool != "rsync" ||
		copyingOf(s[0]).cache != copies.Warm ||
		len(s[0].Record.Links) != 1 ||
		s[0].Record.ID == s[1].Record.ID {
		t.Errorf("tools: %+v", s)
	}
	for name, says := range map[string]string{"pathless": "nas.bare has no path", "ftp": "how pc gets at nas.plain " +
		"over ftp is not known", "which": "how pc gets at nas.pub over the network is not " +
		"known", "few": "files: 2 are less than the 4 streams", "direct": "over smb-direct is not known"} {
		if c := combinations[name][0]; !strings.Contains(c.Record.NotRun, says) {
			t.Errorf("%s: not run %q, want %q", name, c.Record.NotRun, says)
		}
	}
}

// The password of the user's own server is in a variable, with its user if the share names none. What is missing is
// reported, and the password never.
func TestCopyLogin(t *testing.T) {
	b := copyingOf(copyCombinations(t, experiment.Options{})["share"][0])
	for _, k := range []struct{ user, secret, want string }{
		{"alice", "s:cret", "alice s:cret"},
		{"", "bob:s:cret", "bob s:cret"},
		{"", "s3cret", "login env:LINERATE_TEST_NAS: whose password it is is not known; write the user into the share, " +
			"USER@nas, or USER:PASSWORD into the variable"},
		{"alice", "", "login env:LINERATE_TEST_NAS: the variable LINERATE_TEST_NAS is not set where linerate runs; set " +
			"it to the password of the share"},
		{"alice", "a\nb", "login env:LINERATE_TEST_NAS: the variable has more than one line, and a password has one"},
	} {
		t.Setenv("LINERATE_TEST_NAS", k.secret)
		b.share.User = k.user
		v, err := b.ownShareOf()
		got := ""
		if err != nil {
			got = err.Error()
		} else if got = v.User + " " + v.Password; v.At != "//nas/isos" || v.Port != 4450 || v.Prefix != "new" ||
			v.What != "your own, //nas:4450/isos/new" || !v.Theirs {
			t.Errorf("%+v", v)
		}
		if got != k.want {
			t.Errorf("%q, want %q", got, k.want)
		}
	}
	b.login = ""
	if v, err := b.ownShareOf(); err != nil || v.Password != "" {
		t.Errorf("without a login: %+v, %v", v, err)
	}
}

// A refused login is not tried again in another combination; another user's is.
func TestCopyRefusedOnce(t *testing.T) {
	s := &runtest.FakeSession{}
	v := &copies.Shared{Kind: overSMB, At: "//nas/isos", User: "alice", Password: "a", Theirs: true}
	if err := refusedBefore(s, v); err != nil {
		t.Error(err)
	}
	keepRefusal(s, v, &failure.Error{Code: failure.CodeUnreachable, Text: "the server does not answer"})
	keepRefusal(s, &copies.Shared{Kind: overSMB, At: "//nas/isos", User: "alice"},
		&failure.Error{Code: failure.CodeRefused, Text: "linerate's own"})
	if err := refusedBefore(s, v); err != nil {
		t.Errorf("it is not a refusal: %v", err)
	}
	keepRefusal(
		s,
		v,
		fmt.Errorf(
			"pc: %w",
			&failure.Error{Code: failure.CodeRefused, Subject: "smbclient at //nas/isos",
				Text: "the server refuses the password"},
		),
	)
	if err := refusedBefore(s, v); err == nil ||
		err.Error() != "smbclient at //nas/isos: not tried again, because this login was refused: the server refuses "+
			"the password" {
		t.Error(err)
	}
	if err := refusedBefore(s, &copies.Shared{Kind: overSMB, At: "//nas/isos", User: "bob", Theirs: true}); err != nil {
		t.Error(err)
	}
	if err := refusedBefore(s, nil); err != nil {
		t.Error(err)
	}
}

// In a lab everything can be copied: a substitute replaces what the hosts cannot have, and no host has to be a guest.
func TestCopyInALab(t *testing.T) {
	for name, all := range copyCombinations(t, experiment.Options{Lab: true}) {
		b := copyingOf(all[0])
		if name == "few" {
			continue
		}
		over, instead := overHTTP, ""
		switch name {
		case "here":
			over = overPath
		case "share":
			over = overSMB
		case "files":
			instead = "ftp"
		case "direct":
			over, instead = overSMB, "smb-direct"
		case "ftp":
			instead = "ftp"
		case "secure":
			instead = "ssh"
		}
		if all[0].Record.NotRun != "" || b.over != over || !strings.HasPrefix(b.instead, instead) ||
			(instead == "") != (b.instead == "") ||
			!b.Substituted() ||
			b.ends[0].path != agent.TemporaryFolder ||
			b.take {
			t.Errorf("%s: not run %q, over %s in place of %q, %+v", name, all[0].Record.NotRun, b.over, b.instead, b.ends)
		}
	}
}

// A copy that differs is reported with the first file that differs.
func TestCopyDiffers(t *testing.T) {
	want := copies.Placed{
		Files: 2,
		Bytes: 30,
		First: []copies.Sum{
			{Name: "stream-0/file-000000", Size: 10, Sum: "aa"},
			{Name: "stream-0/file-000001", Size: 20, Sum: "bb"},
		},
	}
	for says, have := range map[string]copies.Placed{
		"1 files with 10 B arrived of 2 with 30 B": {Files: 1, Bytes: 10},
		"stream-0/file-000001 is not there": {Files: 2, Bytes: 30,
			First: []copies.Sum{want.First[0], {Name: "x", Size: 20}}},
		"stream-0/file-000000 has 9 B of 10 B": {Files: 2, Bytes: 30,
			First: []copies.Sum{{Name: "stream-0/file-000000", Size: 9}, {Name: "stream-0/file-000001", Size: 21}}},
		"stream-0/file-000001 has the checksum cc": {Files: 2, Bytes: 30,
			First: []copies.Sum{want.First[0], {Name: "stream-0/file-000001", Size: 20, Sum: "cc"}}},
		"the checksums of all files together differ": {Files: 2, Bytes: 30, First: want.First},
	} {
		if got := differs(want, have); !strings.Contains(got, says) {
			t.Errorf("%q, want %q", got, says)
		}
	}
}

// A file can name every copy tool.
func TestCopyToolNames(t *testing.T) {
	names, over := copies.Tools()
	for _, name := range names {
		if values, wrong := fabric.Values(method.Copy, "tool", []string{name}); len(wrong) > 0 || len(values) != 1 ||
			len(over[name]) == 0 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}

// What a copy writes is reported beforehand, at both of its ends.
func TestCopyWrites(t *testing.T) {
	of := func(c *experiment.Combination) map[string]experiment.Written {
		out := map[string]experiment.Written{}
		for _, w := range runtest.WritesOf(c) {
			out[w.Place] = w
		}
		return out
	}
	c := copyCombinations(t, experiment.Options{})["here"][0]
	if got := of(c); got["pc.disk"].Bytes != 1e9 || got["pc.other"].Bytes != 3e9 || got["pc.other"].Room != 1e9 ||
		len(got) != 2 {
		t.Errorf("copies: %+v", got)
	}
	if c.Record.NotRun = "for the test"; len(of(c)) != 0 {
		t.Errorf("what is not run writes: %+v", of(c))
	}
	c.Record.NotRun, copyingOf(c).take, c.Record.Settings = "", true, map[string]string{} // from a file, perhaps
	if got := of(c); got["pc.disk"].Bytes != 0 || got["pc.other"].Bytes != 3e9 {
		t.Errorf("a copy of what is there: %+v", got)
	}
}

func copyingOf(c *experiment.Combination) *copying { return c.Measurement.(*copying) }
