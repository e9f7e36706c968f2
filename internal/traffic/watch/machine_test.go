package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// fakeMachine makes a machine whose files the test writes.
func fakeMachine(t *testing.T) (m *machine, put func(name, text string)) {
	dir := t.TempDir()
	put = func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("stat", "")
	put("softnet", "ffffffff 00000002 fffffff0 0 0 0 0 0 0 0 0 0 00000000\n00000010 0 0 0 0 0 0 0 0 0 0 0 00000001\n")
	put("dev", dev(4294967000, 10))
	m = machineAt(filepath.Join(dir, "stat"), filepath.Join(dir, "softnet"), filepath.Join(dir, "dev"), "eth0", 10)
	t.Cleanup(m.close)
	m.open()
	return m, put
}

func dev(bytes, packets uint64) string {
	return fmt.Sprintf("Inter-| Receive | Transmit\n face |bytes |bytes\n    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n  "+
		"eth0: %d %d 0 7 0 0 0 0 100 5 0 0 0 0 0 0\n", bytes, packets)
}

func values(rows []traffic.Sample) map[string]float64 {
	out := map[string]float64{}
	for _, r := range rows {
		out[r.Metric] = r.Value
	}
	return out
}

// Rows have the growth since the beginning; counters of 32 bits may wrap several times; a tick whose file is damaged
// leaves no hole in what comes after it; an interface that went back has no figure any more.
func TestMachineCounters(t *testing.T) {
	m, put := fakeMachine(t)
	put("softnet", "00000004 00000002 00000001 0 0 0 0 0 0 0 0 0 00000000\n00000010 0 0 0 0 0 0 0 0 0 0 0 00000001\n")
	put("dev", dev(204, 11)) // bytes of a driver with 32 bits
	m.softnet.pause, m.dev.pause = pause{}, pause{}
	got := values(m.rows(1, nil))
	for metric, want := range map[string]float64{"softnet.0.processed": 5, "softnet.0.dropped": 0,
		"softnet.0.squeezed": 17, "link.rx_bytes": 500, "link.rx_packets": 1, "link.rx_dropped": 0} {
		if v, ok := got[metric]; !ok || v != want {
			t.Errorf("%s is %v, %v; want %v", metric, v, ok, want)
		}
	}
	if _, ok := got["softnet.1.processed"]; ok {
		t.Error("a core that received nothing has a row")
	}

	put("softnet", "nonsense\n")
	put("dev", "Inter-|\n")
	m.softnet.pause, m.dev.pause = pause{}, pause{}
	bad := values(m.rows(2, nil))
	if _, ok := bad["link.rx_bytes"]; ok && len(m.lost) == 0 {
		t.Error("a damaged file is read, and nobody says so")
	}

	// once more round
	put("softnet", "00000003 00000002 00000001 0 0 0 0 0 0 0 0 0 00000000\n00000010 0 0 0 0 0 0 0 0 0 0 0 00000001\n")
	put("dev", dev(1204, 12))
	m.softnet.pause, m.dev.pause = pause{}, pause{}
	got = values(m.rows(3, nil))
	if want := float64(5 + 1<<32 - 1); got["softnet.0.processed"] != want || got["link.rx_bytes"] != 1500 {
		t.Errorf("after a bad tick: %v packets, want %v; %v bytes, want 1500", got["softnet.0.processed"], want,
			got["link.rx_bytes"])
	}

	put("dev", dev(5, 1)) // made again
	m.dev.pause = pause{}
	if got = values(m.rows(4, nil)); got["link.tx_bytes"] != 0 || len(got) == 0 {
		t.Errorf("a counter that did not go back: %v", got)
	}
	if v, ok := got["link.rx_bytes"]; ok {
		t.Errorf("an interface that was made again has counted %v", v)
	}
	if !strings.Contains(strings.Join(m.lost, "\n"), "rx_bytes of eth0 went back") {
		t.Errorf("not said: %q", m.lost)
	}
}

func TestMachineUnknown(t *testing.T) {
	m := machineAt("/none/stat", "/none/softnet", "/none/dev", "eth0", 10)
	m.open()
	if rows := m.rows(1, nil); len(rows) != 0 || len(m.lost) != 2 || !strings.Contains(m.lost[0], "/none/softnet") {
		t.Errorf("%v, %q", rows, m.lost)
	}
	m = machineAt("/none/stat", "/none/softnet", "/none/dev", "", 10)
	m.open()
	if !strings.Contains(strings.Join(m.lost, "\n"), "no interface of this host has the address") {
		t.Errorf("%q", m.lost)
	}
}

// A tick of a large machine has a limited number of rows, those of the cores that work; the sum is of all; a core that
// comes online in the interval is left out, and so is one that goes.
func TestThousandCores(t *testing.T) {
	reading := func(n int, busy float64) (out []facts.CoreTime) {
		for c := range n {
			out = append(out, facts.CoreTime{Core: c, System: 100 + busy*float64(c+1), Idle: 1000})
		}
		return out
	}
	m := &machine{}
	var rows []traffic.Sample
	row := func(metric, unit string, v float64) {
		rows = append(rows, traffic.Sample{Metric: metric, Unit: unit, Value: v})
	}
	m.coreRows(reading(1000, 0), row)
	if len(rows) != 0 {
		t.Fatalf("%d rows at the opening", len(rows))
	}
	m.coreRows(reading(1001, 0.001), row)
	got := values(rows)
	if len(rows) > 6*(mostCoreRows+1) || got["core.999.system"] != 1 || got["core.968.system"] == 0 {
		t.Errorf("%d rows; core 999 %v", len(rows), got["core.999.system"])
	}
	if _, ok := got["core.1000.system"]; ok {
		t.Error("a core that came online in between has a row")
	}
	if want := 0.001 * 1000 * 1001 / 2; got["cores.system"] < want*0.999 || got["cores.system"] > want*1.001 {
		t.Errorf("all cores: %v, want %v", got["cores.system"], want)
	}
	rows = nil
	m.coreRows(reading(2, 0.002), row)
	if got = values(rows); got["core.1.system"] == 0 || len(got) > 3*6 {
		t.Errorf("after 998 cores went: %v", got)
	}
	// The outcome of such a machine goes into one frame.
	var c traffic.CPU
	for i := range 5000 {
		c.Cores = append(c.Cores, traffic.Core{Core: i, Idle: float64(i) / 5000, Own: pointer(0.5),
			Packets: pointer(int64(1) << 40)})
	}
	o := traffic.Outcome{}
	x := Sight{after: &work{}, before: &work{}}
	x.edges[1].At = 1e9
	x.Into(&o)
	o.CPU.Cores = c.Cores
	thinCores(&o)
	if len(o.CPU.Cores) != mostCoresSent || o.CPU.Cores[0].Core != 0 || !strings.Contains(fmt.Sprint(o.Unknown), "5000") {
		t.Errorf("%d cores, first %d, %v", len(o.CPU.Cores), o.CPU.Cores[0].Core, o.Unknown)
	}
}

// A source that costs more than its share is read less often, however long one reading had to wait for its CPU.
func TestPause(t *testing.T) {
	var p pause
	if !p.due(0) {
		t.Fatal("not due at first")
	}
	p.took(0, 10_000_000, 10) // 10 ms, perhaps of waiting
	if p.due(2_900_000_000) || !p.due(3_000_000_000) || p.skips != 1 {
		t.Errorf("%+v", p)
	}
	p.took(3_000_000_000, 3_000_100_000, 10) // 0.1 ms
	if p.due(3_020_000_000) || !p.due(3_030_000_000) {
		t.Errorf("%+v", p)
	}
}
