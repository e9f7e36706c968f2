package read

import (
	"os"
	"path/filepath"
	"testing"

	cumulus "linerate/internal/device/cumulus/parse"
	eos "linerate/internal/device/eos/parse"
	nxos "linerate/internal/device/nxos/parse"
	onyx "linerate/internal/device/onyx/parse"
	sonic "linerate/internal/device/sonic/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// fuzzSwitch runs all parsers of a system on a text, and settles the facts.
func fuzzSwitch(f *testing.F, fixture string, table []parse.Source) {
	text := testenv.Must(os.ReadFile("testdata/" + fixture))(f)
	for _, file := range snapshot.ParseArchive(text).Files {
		f.Add(file.Data)
		f.Add(file.Data[:len(file.Data)*2/3])
	}
	fuzzTable(f, table)
}

// fuzzTable fuzzes the parsers of a table, with what was added as seeds.
func fuzzTable(f *testing.F, table []parse.Source) {
	f.Add([]byte(`{"a":[{"b":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all := parse.NewBuilder(new(facts.Facts))
		for _, s := range table {
			args := []string{"p1", "p2"}
			if err := s.Read(all, args, text); err != nil && (err.Error() == "" || len(err.Error()) > 1000) {
				t.Fatalf("%s: error %q", s.Name, err)
			}
		}
		settle(all)
		for _, n := range all.NICs {
			if n.Name == "" || n.MTU < 0 || n.Speed.Or(1) <= 0 {
				t.Fatalf("%+v", n)
			}
		}
	})
}

func FuzzEOS(f *testing.F) { fuzzSwitch(f, "switch.eos.txtar", eos.Sources()) }

func FuzzCumulus(f *testing.F) { fuzzSwitch(f, "switch.cumulus.txtar", cumulus.Sources()) }

func FuzzOnyx(f *testing.F) { fuzzSwitch(f, "switch.onyx.txtar", onyx.Sources()) }

func FuzzSONiC(f *testing.F) { fuzzSwitch(f, "switch.sonic.txtar", sonic.Sources()) }

func FuzzNXOS(f *testing.F) {
	files, err := filepath.Glob("../../device/nxos/parse/testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal(err, files)
	}
	for _, name := range files {
		text := testenv.Must(os.ReadFile(name))(f)
		f.Add(text)
		f.Add(text[:len(text)*2/3])
	}
	fuzzTable(f, nxos.Sources())
}
