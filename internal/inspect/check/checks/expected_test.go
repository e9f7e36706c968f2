package checks

import (
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// judged are the sources whose snapshots are compared with expected.tsv, of all systems or of one ("freebsd/" is all of
// one); an id without a check counts as missed.
var judged = []string{"lspci", "pciconf", "freebsd/", "routeros/", "windows/", "proc/interrupts",
	"sonic/", "onyx/", "cumulus/", "eos/"}

// Compares the checks with what a reader, who did not know them, found in real outputs of other machines
// (testdata/snapshots). Missed and invented findings both count. It runs where the collection lies next to the project.
func TestExpected(t *testing.T) {
	const root = "../../../../../shared/captures/"
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no collection of snapshots next to the project: %v", err)
	}
	table, err := os.ReadFile("testdata/snapshots/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{} // id and proving line, by snapshot
	var order []string
	for line := range strings.Lines(string(table)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != 6 {
			t.Fatalf("%q has %d columns, want 6", line, len(row))
		}
		if row[0] == "snapshot" {
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
	seen, right, missed, invented := 0, 0, 0, 0
	for _, snapshot := range order {
		text, err := os.ReadFile(root + snapshot)
		if err != nil {
			t.Fatal(err)
		}
		source, ok := read.Recognise(snapshot, text)
		if !ok || !slices.ContainsFunc(slices.Concat(judged, judgedRDMA), func(j string) bool {
			system, _, _ := strings.Cut(snapshot, "/")
			return j == source || j == system+"/" || j == system+"/"+source
		}) {
			continue
		}
		seen++
		kept, notRead := read.FromKept("host", map[string][]byte{snapshot: text}, []string{snapshot})
		got, err := read.Parse(kept)
		if err != nil {
			t.Errorf("%s: %v %v", snapshot, err, notRead)
			continue
		}
		// Some commands of a pasted session are irrelevant.
		notRead = slices.DeleteFunc(notRead, func(u facts.Unknown) bool {
			return u.Reason == "the output of this command is not read"
		})
		if len(notRead) > 0 || len(got.Unknown) > 0 {
			t.Errorf("%s: %v %v %v", snapshot, err, notRead, got.Unknown)
			continue
		}
		findings := check.Run(All(), &check.World{Hosts: []*check.Host{{Name: "host", Facts: got}}}, check.Choice{}).Findings
		proven := make([]bool, len(findings))
		for _, e := range want[snapshot] {
			i := slices.IndexFunc(findings, func(f record.Finding) bool {
				return slices.ContainsFunc(f.Evidence, func(l record.EvidenceLine) bool { return f.ID+": "+plain(l.Line) == e })
			})
			reported := func(f record.Finding) bool { // within its cause
				return slices.ContainsFunc(f.Explains, func(x record.Explained) bool { return strings.HasPrefix(e, x.ID+": ") })
			}
			if i < 0 && slices.ContainsFunc(findings, reported) {
				right++
				continue
			}
			if i < 0 {
				missed++
				t.Logf("%s: missed %s", snapshot, e)
				continue
			}
			right++
			proven[i] = true
		}
		for i, f := range findings {
			// One finding a part is expected, with its first line. Further findings with the same id are not inventions.
			same := func(w string) bool { return strings.HasPrefix(w, f.ID+": ") }
			if !proven[i] && !slices.ContainsFunc(want[snapshot], same) {
				invented++
				t.Logf("%s: invented %s: %s: %v", snapshot, f.ID, f.Subject, f.Evidence)
			}
		}
	}
	precision, recall := share(right, invented), share(right, missed)
	t.Logf("%d snapshots: %d right, %d missed, %d invented: precision %.3f, recall %.3f", seen, right, missed, invented,
		precision, recall)
	if seen == 0 || precision < 0.95 || recall < 0.95 {
		t.Errorf("of %d snapshots: precision %.3f, recall %.3f; both are to be 0.95", seen, precision, recall)
	}
}

// plain reduces each run of tabs and blanks to one blank, as in the table.
func plain(line string) string { return strings.Join(strings.Fields(line), " ") }

func share(right, wrong int) float64 {
	if right+wrong == 0 {
		return 1
	}
	return float64(right) / float64(right+wrong)
}

// Adds the outputs of Linux about links, interfaces and its kernel.
func init() {
	judged = append(judged, "linux/ethtool *", "linux/ethtool -S *", "linux/ethtool -m *", "linux/ethtool --show-fec *",
		"linux/ethtool -a *", "linux/ethtool -g *", "linux/ethtool -c *", "linux/ethtool -i *", "linux/ethtool -l *",
		"linux/ip link", "linux/ip address", "linux/ifconfig", "linux/netstat -i", "linux/proc/net/softnet_stat",
		"linux/proc/net/dev", "linux/dmesg")
}

// judgedRDMA are the sources of RDMA, of InfiniBand's fabric tools and of DCB.
var judgedRDMA = []string{"ibstat", "ibstatus", "ibv_devinfo", "ibv_devices", "ibdev2netdev", "rdma link", "rdma dev",
	"rdma statistic", "show_gids", "show_counters *", "perfquery", "iblinkinfo", "ibnetdiscover", "ibportstate",
	"ibswinfo", "mlxlink *", "mlxconfig *", "mst status", "dcb pfc *", "dcb ets *", "dcb app *", "mlnx_qos *",
	"grep -r . /sys/class/infiniband"}
