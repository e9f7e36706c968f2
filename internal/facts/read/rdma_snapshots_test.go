package read

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// TestRDMASnapshots reads the outputs of RDMA, InfiniBand and DCB tools in a collection of other machines' snapshots,
// if it is next to the project: each is recognized by its name or content, and read.
func TestRDMASnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of snapshots next to the project: %v", err)
	}
	row := regexp.MustCompile("(?m)^\\| (linux/\\S+) \\| `([^`]*)` \\|")
	tools := regexp.MustCompile(`^(?:ibstat|ibstatus|ibv_dev\w+|ibdev2netdev|rdma |show_gids|show_counters|perfquery|iblinkinfo|ibnetdiscover|ibportstate|ibswinfo|mlxlink|mlxconfig|mstconfig|mst status|dcb |mlnx_qos|grep -r . /sys/class/infiniband)`)
	// Parts of an output without facts: only the start of a device's description.
	bare := regexp.MustCompile(`mstconfig-q--sriov-48`)
	read := map[string]int{}
	total := 0
	for _, m := range row.FindAllStringSubmatch(string(index), -1) {
		if !tools.MatchString(m[2]) || bare.MatchString(m[1]) {
			continue
		}
		text := testenv.Must(os.ReadFile(root + m[1]))(t)
		total++
		kept, not := FromKept("host", map[string][]byte{m[1]: text}, []string{m[1]})
		if len(not) > 0 {
			t.Errorf("%s (%s): %v", m[1], m[2], not)
			continue
		}
		f, err := Parse(kept)
		if err != nil || len(f.Unknown) > 0 {
			t.Errorf("%s (%s): %v %v", m[1], m[2], err, f.Unknown)
			continue
		}
		source, _ := Recognise(m[1], text)
		read[source]++
		byContent, _ := Recognise("x", text)
		if byContent != source && !strings.Contains(m[1], "ibv-devinfo-v") && !strings.Contains(m[1], "mstconfig-e") {
			t.Errorf("%s: by its name %q, by its content %q", m[1], source, byContent)
		}
	}
	t.Logf("%d outputs: %v", total, read)
	if total < 60 {
		t.Errorf("only %d outputs of these tools were looked at", total)
	}
}
