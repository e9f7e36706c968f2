package render

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// named lists the groups of a set: the folder and the number of hosts of each.
func named(s *Set) (out []string) {
	for _, g := range s.Groups {
		out = append(out, fmt.Sprintf("%s %d", g.Name, len(g.Hosts)))
	}
	return out
}

// Every host has its own README or that of one group, and a group's README with a host's values in place of the keys
// is the README that the host would have.
func TestSharedReadmes(t *testing.T) {
	shared := 0
	for _, path := range fabrics(t) {
		p := planned(t, path)
		s := Render(p)
		var grouped []string
		for _, g := range s.Groups {
			shared++
			grouped = append(grouped, g.Hosts...)
			for _, name := range g.Hosts {
				want := sheetOf(p, s.Device(name))
				page := filled(g, maskOf(p, p.Host(name)))
				for _, c := range want.changes[:min(len(want.changes), mostChanges)] {
					if !slices.Contains(page, c.Command) && !slices.Contains(page, c.Command+" # "+c.Why) {
						t.Errorf("%s: %s for %s: no command %s", path, g.Name, name, c.Command)
					}
				}
				got, own := rest(page), rest(lines(readme(want)))
				if !slices.Equal(got, own) {
					t.Errorf("%s: %s for %s:\n%q\nwant\n%q", path, g.Name, name, got, own)
				}
			}
		}
		for i := range s.Devices {
			d := &s.Devices[i]
			own, of := d.File(readmeName) != nil, slices.Index(grouped, d.Name) >= 0
			if own == of {
				t.Errorf("%s: %s has its own README: %v, and is in a group: %v", path, d.Name, own, of)
			}
		}
	}
	if shared < 3 {
		t.Errorf("only %d groups in all examples", shared)
	}
}

// filled is a group's README with a host's values in place of the keys, as lines without the spaces that align columns.
func filled(g config.Group, m mask) []string {
	m = slices.Clone(m)
	slices.SortStableFunc(m, func(a, b own) int { return len(b.key) - len(a.key) })
	out := lines(g.Readme.Lines)
	for i, l := range out {
		for _, v := range m {
			l = strings.ReplaceAll(l, v.key, v.value)
		}
		out[i] = strings.ReplaceAll(l, "the folder ../"+m.value(hostKey), "this folder")
	}
	return out
}

func lines(list []config.Line) (out []string) {
	for _, l := range list {
		out = append(out, strings.Join(strings.Fields(l.Text), " "))
	}
	return out
}

// rest is what a README has besides its title, its first paragraph, the commands and the table of values.
func rest(page []string) (out []string) {
	section := ""
	for i, l := range page {
		if strings.HasPrefix(l, "## ") {
			section = l
		}
		if i > 2 && !strings.HasPrefix(section, "## What apply.") && section != "## Values of each host" {
			out = append(out, l)
		}
	}
	return out
}

// The equal machines of an example share a README in the folder that is written, and the page of the whole folder names
// it once.
func TestSharedReadmeOfExample(t *testing.T) {
	s := Render(planned(t, "../../../examples/eval-25g.yaml"))
	if got := named(s); !slices.Equal(got, []string{"node1-node4 4", "vm1-vm32 32"}) {
		t.Fatalf("groups: %q", got)
	}
	dir := filepath.Join(t.TempDir(), "config")
	testenv.Check(t, s.Write(dir))
	page := string(testenv.Must(os.ReadFile(filepath.Join(dir, "node1-node4", "README.md")))(t))
	golden.Compare(t, filepath.Join("testdata", "shared", "node1-node4.md"), page)
	if commands, values := strings.Index(page, "changes\n"), strings.Index(page, "## Values"); commands > values {
		t.Error("the table comes before the commands")
	}
	all := testenv.Must(filepath.Glob(filepath.Join(dir, "*", "README.md")))(t)
	if len(all) != 8 { // initiator, two pairs, three targets, two groups
		t.Errorf("%d READMEs: %q", len(all), all)
	}
	if _, err := os.Stat(filepath.Join(dir, "vm17", "apply.ps1")); err != nil {
		t.Error(err)
	}
	whole := string(testenv.Must(os.ReadFile(filepath.Join(dir, "README.md")))(t))
	if strings.Count(whole, "vm1-vm32") != 1 || strings.Count(whole, "vm1-vm32/README.md") != 1 {
		t.Errorf("the shared README is not named once:\n%s", whole)
	}
	if !strings.Contains(asJSON(t, s), `"name": "vm1-vm32/README.md"`) {
		t.Error("the JSON does not have the shared README")
	}
}

// A host that is set in another way has its own README, and so do a few equal ones.
func TestUnequalReadmes(t *testing.T) {
	const file = `
fabric: g
hosts:
  "a[1-%d]": {os: linux, connect: ssh root@192.0.2.1, nics: {n: {part: MCX516A-CDAT}}}
  b: {os: linux, nics: {n: {part: MCX516A-CDAT}}}
switches:
  s: {os: sonic, part: Mellanox SN2700}
links:
%s`
	for _, c := range []struct {
		hosts, jumbo int // the number of hosts, and which has another MTU; 0: none
		want         []string
	}{{hosts: 3}, {hosts: 4, want: []string{"a1-a4 4"}}, {hosts: 5, jumbo: 2, want: []string{"a1-a5 4"}}} {
		links := ""
		for i := range c.hosts {
			mtu := 1500
			if i+1 == c.jumbo {
				mtu = 9000
			}
			links += fmt.Sprintf("  - {ends: [a%d.n.1, s.%d], mtu: %d}\n", i+1, i+1, mtu)
		}
		p := configtest.Text(t, fmt.Sprintf(file, c.hosts, links))
		if got := named(Render(p)); !slices.Equal(got, c.want) {
			t.Errorf("%+v: groups %q", c, got)
		}
	}
}

// A value is replaced where it is whole: not vm1 in vm10.
func TestMask(t *testing.T) {
	m := mask{{"HOST", "vm1"}, {"ADDRESS", "10.0.0.1"}, {"OTHER-END", "sw.1"}, {"CABLE", "C1"}}
	for text, want := range map[string]string{
		"vm1.ql.1--sw.1 of vm10":         "HOST.ql.1--OTHER-END of vm10",
		"10.0.0.1/24, not 10.0.0.12/24.": "ADDRESS/24, not 10.0.0.12/24.",
		"C1 to sw.1; C12 to sw.12":       "CABLE to OTHER-END; C12 to sw.12",
		"xvm1 vm1":                       "xvm1 HOST",
	} {
		if got := m.text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
