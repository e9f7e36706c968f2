package read

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// TestSnapshots reads real outputs of many machines, if a collection of them is next to the project: no parser panics
// on any of them, and each with a parser is recognized.
func TestSnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of snapshots next to the project, of which testdata has a part: %v", err)
	}
	row := regexp.MustCompile("^\\| ((?:linux|freebsd|windows|routeros|onyx|cumulus|sonic|eos|nxos)/\\S+) \\| " +
		"`([^`]*)` \\|")
	read, failed := map[string]int{}, 0
	table := Sources()
	for line := range strings.Lines(string(index)) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		text := testenv.Must(os.ReadFile(root + m[1]))(t)
		for _, s := range table { // any parser; large files, which take most of the time, only in live tests
			if len(text) > 5<<10 && !testenv.Wanted(testenv.Live) {
				break
			}
			if strings.HasPrefix(s.Name, "Get-") && s.Name != "Get-NetAdapter" {
				continue // all cmdlets have one reader
			}
			if s.OS == "routeros" && s.Name != "/export" && s.Name != "/interface ethernet switch qos port print" {
				continue // all menus have one parser
			}
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s: the parser of %q panics: %v", m[1], s.Name, r)
					}
				}()
				// One per star of the name; a number may be a name and a port.
				_ = s.Read(parse.NewBuilder(new(facts.Facts)), slices.Repeat([]string{"1"}, strings.Count(s.Name, "*")), text)
			}()
		}
		if !strings.HasPrefix(m[1], "linux/") {
			continue
		}
		// ip, route and similar commands print text unless -j is given.
		name := m[2]
		if regexp.MustCompile(`^ethtool( -\w)?$`).MatchString(name) {
			name += " e0"
		}
		s, _, ok := Find(table, name, "linux", text)
		if !ok || strings.HasPrefix(s.Name, "ip ") && !strings.Contains(name, "-j") {
			continue
		}
		a := snapshot.Archive{Comment: "os linux", Files: []snapshot.File{{Name: name, Data: text}}}
		f, err := Parse(a.Bytes())
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		read[s.Name]++
		if len(f.Unknown) > 0 {
			failed++
			names := strings.HasPrefix(name, "ss ") && !strings.Contains(name, "n") // of ports
			cut := s.Name == "ibv_devinfo" && !strings.Contains(string(text),
				"hca_id") // a part of one
			empty := !slices.ContainsFunc(f.Unknown,
				func(u facts.Unknown) bool { return u.Reason != "it is empty" }) // one attribute
			headless := s.Name == "lsblk" && !strings.Contains(string(text), "NAME") // the columns are unknown
			if !names && !cut && !empty && !headless && !isToolError(string(text)) {
				t.Errorf("%s (%s): %v", m[1], name, f.Unknown)
			}
		}
	}
	var counts []string
	total := 0
	for name, n := range read {
		counts = append(counts, fmt.Sprintf("%s %d", name, n))
		total += n
	}
	slices.Sort(counts)
	testenv.Count(t, "snapshots parsed", "all systems, each by every parser", total)
	t.Logf("%d outputs recognised, %d of them without content: %s", total, failed, strings.Join(counts, ", "))
	for _, name := range []string{"ethtool *", "ethtool -k *", "ethtool -i *", "ethtool -S *", "ethtool -l *",
		"tc qdisc", "sysctl", "proc/net/softnet_stat", "proc/net/snmp", "proc/net/netstat", "proc/stat", "ss"} {
		if read[name] == 0 {
			t.Errorf("no snapshot was read by the parser of %q", name)
		}
	}
}

// isToolError reports whether a tool printed only an error.
func isToolError(text string) bool {
	return regexp.MustCompile(`(?i)not supported|no such device|no stats|bad command|cannot get|no data|`+
		`^\s*$|usage|ERROR`).
		MatchString(text) &&
		strings.Count(text, "\n") < 12
}
