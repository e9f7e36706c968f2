package check

import (
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// judged are the sources whose captures are held against expected.tsv, of all systems or of one ("freebsd/" is all of one); an id
// that no check has counts as missed.
var judged = []string{"lspci", "pciconf", "freebsd/", "routeros/", "windows/", "proc/interrupts",
	"sonic/", "onyx/", "cumulus/", "eos/"}

// What a reader who had not seen the checks found in real outputs of other machines (testdata/captures) against what the
// checks find: both what they miss and what they invent count. It is there where the collection lies beside the project.
func TestExpected(t *testing.T) {
	const root = "../../../../shared/captures/"
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no collection of captures beside the project: %v", err)
	}
	table, err := os.ReadFile("testdata/captures/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{} // id and proving line, by capture
	var order []string
	for line := range strings.Lines(string(table)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != 6 {
			t.Fatalf("%q has %d columns, want 6", line, len(row))
		}
		if row[0] == "capture" {
			continue
		}
		if want[row[0]] == nil {
			order = append(order, row[0])
			want[row[0]] = []string{}
		}
		if row[1] != "none" {
			want[row[0]] = append(want[row[0]], row[1]+": "+plain(row[3]))
		}
	}
	read, right, missed, invented := 0, 0, 0, 0
	for _, capture := range order {
		text, err := os.ReadFile(root + capture)
		if err != nil {
			t.Fatal(err)
		}
		source, ok := facts.Recognise(capture, text)
		if !ok || !slices.ContainsFunc(slices.Concat(judged, judgedRDMA), func(j string) bool {
			system, _, _ := strings.Cut(capture, "/")
			return j == source || j == system+"/" || j == system+"/"+source
		}) {
			continue
		}
		read++
		kept, notRead := facts.FromKept("host", map[string][]byte{capture: text}, []string{capture})
		got, err := facts.Parse(kept)
		if err != nil {
			t.Errorf("%s: %v %v", capture, err, notRead)
			continue
		}
		// Of a pasted session some commands may be of no interest.
		notRead = slices.DeleteFunc(notRead, func(u facts.Unknown) bool { return u.Reason == "the output of this command is not read" })
		if len(notRead) > 0 || len(got.Unknown) > 0 {
			t.Errorf("%s: %v %v %v", capture, err, notRead, got.Unknown)
			continue
		}
		findings := Run(&World{Hosts: []*Host{{Name: "host", Facts: got}}}, Choice{}).Findings
		proven := make([]bool, len(findings))
		for _, e := range want[capture] {
			i := slices.IndexFunc(findings, func(f record.Finding) bool {
				return slices.ContainsFunc(f.Evidence, func(l record.EvidenceLine) bool { return f.ID+": "+plain(l.Line) == e })
			})
			told := func(f record.Finding) bool { // inside of its reason
				return slices.ContainsFunc(f.Explains, func(x record.Explained) bool { return strings.HasPrefix(e, x.ID+": ") })
			}
			if i < 0 && slices.ContainsFunc(findings, told) {
				right++
				continue
			}
			if i < 0 {
				missed++
				t.Logf("%s: missed %s", capture, e)
				continue
			}
			right++
			proven[i] = true
		}
		for i, f := range findings {
			// One finding a part is expected, with its first line: what has the same id as one that was right is no invention.
			same := func(w string) bool { return strings.HasPrefix(w, f.ID+": ") }
			if !proven[i] && !slices.ContainsFunc(want[capture], same) {
				invented++
				t.Logf("%s: invented %s: %s: %v", capture, f.ID, f.Subject, f.Evidence)
			}
		}
	}
	precision, recall := share(right, invented), share(right, missed)
	t.Logf("%d captures: %d right, %d missed, %d invented: precision %.3f, recall %.3f", read, right, missed, invented, precision, recall)
	if read == 0 || precision < 0.95 || recall < 0.95 {
		t.Errorf("of %d captures: precision %.3f, recall %.3f; both are to be 0.95", read, precision, recall)
	}
}

// plain makes one blank of each run of tabs and blanks, as the table has its lines.
func plain(line string) string { return strings.Join(strings.Fields(line), " ") }

func share(right, wrong int) float64 {
	if right+wrong == 0 {
		return 1
	}
	return float64(right) / float64(right+wrong)
}
