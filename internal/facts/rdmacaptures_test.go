package facts

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The outputs of RDMA, of InfiniBand's fabric tools and of DCB in a collection of other machines' captures, if it lies beside the
// project: each that is of a tool with a parser is recognised by its name or content, as a user keeps it, and read.
func TestRDMACaptures(t *testing.T) {
	const root = "../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of captures beside the project: %v", err)
	}
	row := regexp.MustCompile("(?m)^\\| (linux/\\S+) \\| `([^`]*)` \\|")
	tools := regexp.MustCompile(`^(?:ibstat|ibstatus|ibv_dev\w+|ibdev2netdev|rdma |show_gids|show_counters|perfquery|iblinkinfo|ibnetdiscover|ibportstate|ibswinfo|mlxlink|mlxconfig|mstconfig|mst status|dcb |mlnx_qos|grep -r . /sys/class/infiniband)`)
	// Parts of an output without anything that its parser is for: nothing but the head of a device's description.
	bare := regexp.MustCompile(`mstconfig-q--sriov-48`)
	read := map[string]int{}
	total := 0
	for _, m := range row.FindAllStringSubmatch(string(index), -1) {
		if !tools.MatchString(m[2]) || bare.MatchString(m[1]) {
			continue
		}
		text, err := os.ReadFile(root + m[1])
		if err != nil {
			t.Fatal(err)
		}
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
