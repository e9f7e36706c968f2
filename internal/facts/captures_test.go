package facts

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// Real outputs of many machines, if a collection of them lies beside the project:
// every parser over every one of them without a panic, and each that has a parser
// is recognised by it.
func TestCaptures(t *testing.T) {
	const root = "../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of captures beside the project, of which testdata has a part: %v", err)
	}
	row := regexp.MustCompile("^\\| ((?:linux|freebsd|windows|routeros|onyx|cumulus|sonic|eos)/\\S+) \\| `([^`]*)` \\|")
	read, failed := map[string]int{}, 0
	table := sources()
	for line := range strings.Lines(string(index)) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		text, err := os.ReadFile(root + m[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range table { // whatever it is; of the large ones, which take most of the time, in the live tests alone
			if len(text) > 5<<10 && !testenv.Wanted(testenv.Live) {
				break
			}
			if strings.HasPrefix(s.name, "Get-") && s.name != "Get-NetAdapter" {
				continue // all cmdlets have one reader
			}
			if s.os == "routeros" && s.name != "/export" && s.name != "/interface ethernet switch qos port print" {
				continue // all menus have one parser
			}
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s: the parser of %q panics: %v", m[1], s.name, r)
					}
				}()
				// As many as the name has stars; numbers, which may be a name and a port.
				_ = s.read(new(Facts), slices.Repeat([]string{"1"}, strings.Count(s.name, "*")), text)
			}()
		}
		if !strings.HasPrefix(m[1], "linux/") {
			continue
		}
		// ip, route and the like print text unless they are asked for JSON.
		name := m[2]
		if regexp.MustCompile(`^ethtool( -\w)?$`).MatchString(name) {
			name += " e0"
		}
		s, _, ok := find(table, name, "linux", text)
		if !ok || strings.HasPrefix(s.name, "ip ") && !strings.Contains(name, "-j") {
			continue
		}
		a := archive{Comment: "os linux", Files: []file{{name, text}}}
		f, err := Parse(a.bytes())
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		read[s.name]++
		if len(f.Unknown) > 0 {
			failed++
			names := strings.HasPrefix(name, "ss ") && !strings.Contains(name, "n")                             // of ports
			cut := s.name == "ibv_devinfo" && !strings.Contains(string(text), "hca_id")                         // a part of one
			empty := !slices.ContainsFunc(f.Unknown, func(u Unknown) bool { return u.Reason != "it is empty" }) // one attribute
			headless := s.name == "lsblk" && !strings.Contains(string(text), "NAME")                            // which column is which it does not say
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
	for _, name := range []string{"ethtool *", "ethtool -k *", "ethtool -i *", "ethtool -S *", "ethtool -l *", "tc qdisc", "sysctl", "proc/net/softnet_stat", "proc/net/snmp", "proc/net/netstat", "proc/stat", "ss"} {
		if read[name] == 0 {
			t.Errorf("no capture was read by the parser of %q", name)
		}
	}
}

// isToolError says whether a tool printed only that it cannot do it.
func isToolError(text string) bool {
	return regexp.MustCompile(`(?i)not supported|no such device|no stats|bad command|cannot get|no data|^\s*$|usage|ERROR`).MatchString(text) && strings.Count(text, "\n") < 12
}
