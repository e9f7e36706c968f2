package collect

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
)

// A host with FreeBSD is queried only for what is in the table, and its answers are read. A missing answer is unknown,
// with the reason.
func TestCollectFreeBSD(t *testing.T) {
	text, err := os.ReadFile("../../facts/read/testdata/freebsd.txtar")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]byte{}
	for _, f := range snapshot.ParseArchive(text).Files {
		answers[f.Name] = f.Data
	}
	answers["vmstat -i"] = answers["vmstat -ia"]
	answers["sysctl -i dev.mce.0"] = answers["sysctl -a"]
	for _, root := range []bool{true, false} {
		asked := []string{}
		c := &collector{head: snapshot.Header{Level: facts.Full}}
		c.freebsd(freebsdAsked{
			interfaces: []string{"lo0", "mce0", "mce0.711", "mlxen1", "lagg0", "a b"},
			file:       func(string) ([]byte, error) { return nil, errors.New("not there") },
			run: func(argv ...string) ([]byte, error) {
				line := strings.Join(argv, " ")
				asked = append(asked, line)
				if line == pciconfAsRoot && !root {
					return nil, errors.New("pciconf: /dev/pci: Permission denied")
				}
				if out, ok := answers[line]; ok {
					return out, nil
				}
				if strings.HasPrefix(line, "sysctl -i ") {
					return nil, nil
				}
				return nil, errors.New("no such program")
			},
		})
		for _, line := range asked {
			if err := announcedProgram("freebsd", strings.Fields(line)); err != nil {
				t.Error(err)
			}
		}
		if got := slices.DeleteFunc(slices.Clone(asked), func(s string) bool {
			return !strings.HasPrefix(s, "sysctl -i dev") && !strings.HasPrefix(s, "sysctl -i hw.m")
		}); !slices.Equal(got, []string{"sysctl -i dev.mce.0", "sysctl -i hw.mlxen1"}) {
			t.Error(got)
		}
		if slices.Contains(asked, pciconfAsUser) == root {
			t.Errorf("root %t: asked %v", root, asked)
		}
		c.head.OS = "freebsd"
		f, err := read.Parse((&snapshot.Archive{Comment: c.head.Text(), Files: c.files}).Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if f.NIC("mce0") == nil || f.NIC("mce0").Queues.Or(0) != 8 || f.Kernel != "14.1-RELEASE" || root != (f.PCI != nil) {
			t.Errorf("root %t: %+v", root, f.NIC("mce0"))
		}
		said := false
		for _, u := range f.Unknown {
			said = said || u.Subject == pciconfAsRoot && strings.Contains(u.Reason, "Permission denied")
			if u.Reason == "" || strings.Contains(u.Reason, "no parser") {
				t.Errorf("%+v", u)
			}
		}
		if said == root {
			t.Errorf("root %t: %v", root, f.Unknown)
		}
	}
}
