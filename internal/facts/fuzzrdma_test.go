package facts

import (
	"strings"
	"testing"
)

// fuzzRead runs a reader of RDMA's tools over facts that are settled after it: what it stores has to hold together.
func fuzzRead(f *testing.F, pattern string, read func(*Facts, []string, []byte) error, args ...string) {
	parse := func(text []byte) (*Facts, error) {
		v := &Facts{OS: "linux", reading: pattern}
		err := read(v, args, text)
		settle(v)
		return v, err
	}
	fuzz(f, pattern, parse, func(t *testing.T, v *Facts) {
		for _, d := range v.RDMA {
			for _, p := range d.Ports {
				if d.Name == "" || p.Port < 1 || p.Port > 255 || p.Rate.IsKnown() && p.Rate.Or(0) <= 0 || p.Lanes.Or(1) < 1 || p.ToS.Or(0) > 255 {
					t.Fatalf("%s: %+v", d.Name, p)
				}
			}
		}
		for _, n := range v.NICs {
			for _, c := range []*Classes{n.Asked, n.Effect} {
				if c != nil {
					checkClasses(t, c)
				}
			}
		}
		for _, c := range v.Counts {
			if c.What == "" || c.Source == "" || strings.Contains(c.Line, "\n") {
				t.Fatalf("%+v", c)
			}
		}
	})
}

func checkClasses(t *testing.T, c *Classes) {
	pfc, _ := c.PFC()
	for _, k := range pfc {
		if k < 0 || k > 7 {
			t.Fatalf("%+v", c)
		}
	}
	for point, class := range c.DSCP {
		if point < 0 || point > 63 || class < 0 || class > 7 {
			t.Fatalf("%+v", c)
		}
	}
	for class, q := range c.Queues {
		if w := q.Weight.Or(0); class < 0 || class > 7 || w < 0 || w > 100 {
			t.Fatalf("%+v", c)
		}
	}
	for _, size := range c.Buffers {
		if size < 0 {
			t.Fatalf("%+v", c)
		}
	}
}

func FuzzIbstat(f *testing.F)        { fuzzRead(f, "ibstat", readIbstat) }
func FuzzIbstatus(f *testing.F)      { fuzzRead(f, "ibstatus", readIbstatus) }
func FuzzIbvDevices(f *testing.F)    { fuzzRead(f, "ibv_devices", readIbvDevices) }
func FuzzIbdev2netdev(f *testing.F)  { fuzzRead(f, "ibdev2netdev", readIbdev2netdev) }
func FuzzRDMALink(f *testing.F)      { fuzzRead(f, "rdma link", readRDMALink) }
func FuzzRDMADev(f *testing.F)       { fuzzRead(f, "rdma dev", readRDMADev) }
func FuzzRDMAStatistic(f *testing.F) { fuzzRead(f, "rdma statistic", readRDMAStatistic) }
func FuzzShowGIDs(f *testing.F)      { fuzzRead(f, "show_gids", readShowGIDs) }
func FuzzShowCounters(f *testing.F)  { fuzzRead(f, "show_counters *", readShowCounters, "mlx5_0") }
func FuzzPerfquery(f *testing.F)     { fuzzRead(f, "perfquery", readPerfquery) }
func FuzzIbqueryerrors(f *testing.F) { fuzzRead(f, "ibqueryerrors", readIbqueryerrors) }
func FuzzIblinkinfo(f *testing.F)    { fuzzRead(f, "iblinkinfo", readIblinkinfo) }
func FuzzIbnetdiscover(f *testing.F) { fuzzRead(f, "ibnetdiscover", readIbnetdiscover) }
func FuzzIbportstate(f *testing.F)   { fuzzRead(f, "ibportstate", readIbportstate) }
func FuzzMlxlink(f *testing.F)       { fuzzRead(f, "mlxlink *", readMlxlink, "mlx5_0") }
func FuzzMlxconfig(f *testing.F)     { fuzzRead(f, "mlxconfig *", readMlxconfig, "mlx5_0") }
func FuzzMstStatus(f *testing.F)     { fuzzRead(f, "mst status", readMstStatus) }
func FuzzIbswinfo(f *testing.F)      { fuzzRead(f, "ibswinfo", readIbswinfo) }
func FuzzCMA(f *testing.F)           { fuzzRead(f, "cma_roce_tos * *", readCMA, "mlx5_0", "1") }
func FuzzDCBPFC(f *testing.F)        { fuzzRead(f, "dcb pfc *", readDCB, "e0") }
func FuzzDCBETS(f *testing.F)        { fuzzRead(f, "dcb ets *", readDCB, "e0") }
func FuzzDCBApp(f *testing.F)        { fuzzRead(f, "dcb app *", readDCBApp, "e0") }
func FuzzDCBX(f *testing.F)          { fuzzRead(f, "dcb dcbx *", readDCBX, "e0") }
func FuzzMlnxQoS(f *testing.F)       { fuzzRead(f, "mlnx_qos *", readMlnxQoS, "e0") }
func FuzzLLDPTool(f *testing.F)      { fuzzRead(f, "lldptool *", readLLDPTool, "e0") }
func FuzzLinuxScript(f *testing.F) {
	f.Add([]byte("IF=e0\nfor i in $IF e1; do mlnx_qos -i $i --pfc=0,0,0,1,0,0,0,0 --dscp2prio set,26,3; done\n"))
	f.Add([]byte("rdma=$(rdma_of \"$if_a\")\ncma_roce_tos -d \"$rdma\" -t 106\necho 1 > /sys/class/net/e0/ecn/roce_np/enable/3\n"))
	f.Add([]byte("dcb ets set dev ${x:-e0} willing off prio-tc all:0 3:3 tc-tsa all:strict 0:ets tc-bw all:0 0:100\nlldptool -T -i e0 -V PFC enabled=3,4\n"))
	fuzzRead(f, "linux script", readLinuxScript)
}
