package rdma

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/parsetest"
)

func FuzzInfiniband(f *testing.F) {
	read := func(text []byte) (*facts.Facts, error) {
		v := parse.NewBuilder(new(facts.Facts))
		err := readInfiniband(v, nil, text)
		Settle(v)
		return v.Facts, err
	}
	parsetest.Fuzz(f, "grep -r . /sys/class/infiniband/*", read, func(t *testing.T, v *facts.Facts) {
		for _, d := range v.RDMA {
			for _, p := range d.Ports {
				if p.Port < 1 || p.Port > 255 || p.Rate.IsKnown() && p.Rate.Or(0) <= 0 {
					t.Fatal(p)
				}
				for _, g := range p.GIDs {
					if !g.GID.Is6() || g.GID.IsUnspecified() {
						t.Fatal(g)
					}
				}
			}
		}
	})
}

func FuzzIbvDevinfo(f *testing.F) {
	parsetest.Fuzz(f, "ibv_devinfo", parseIbvDevinfo,
		func(_ *testing.T, v []devInfo) { putIbvDevinfo(parse.NewBuilder(new(facts.Facts)), nil, v) })
}

func FuzzIbstat(f *testing.F) { parsetest.FuzzRead(f, "ibstat", readIbstat) }

func FuzzIbstatus(f *testing.F) { parsetest.FuzzRead(f, "ibstatus", readIbstatus) }

func FuzzIbvDevices(f *testing.F) { parsetest.FuzzRead(f, "ibv_devices", readIbvDevices) }

func FuzzIbdev2netdev(f *testing.F) { parsetest.FuzzRead(f, "ibdev2netdev", readIbdev2netdev) }

func FuzzRDMALink(f *testing.F) { parsetest.FuzzRead(f, "rdma link", readRDMALink) }

func FuzzRDMADev(f *testing.F) { parsetest.FuzzRead(f, "rdma dev", readRDMADev) }

func FuzzRDMAStatistic(f *testing.F) { parsetest.FuzzRead(f, "rdma statistic", readRDMAStatistic) }

func FuzzShowGIDs(f *testing.F) { parsetest.FuzzRead(f, "show_gids", readShowGIDs) }

func FuzzShowCounters(f *testing.F) {
	parsetest.FuzzRead(f, "show_counters *", readShowCounters, "mlx5_0")
}

func FuzzPerfquery(f *testing.F) { parsetest.FuzzRead(f, "perfquery", readPerfquery) }

func FuzzIbqueryerrors(f *testing.F) { parsetest.FuzzRead(f, "ibqueryerrors", readIbqueryerrors) }

func FuzzIblinkinfo(f *testing.F) { parsetest.FuzzRead(f, "iblinkinfo", readIblinkinfo) }

func FuzzIbnetdiscover(f *testing.F) { parsetest.FuzzRead(f, "ibnetdiscover", readIbnetdiscover) }

func FuzzIbportstate(f *testing.F) { parsetest.FuzzRead(f, "ibportstate", readIbportstate) }

func FuzzMlxlink(f *testing.F) { parsetest.FuzzRead(f, "mlxlink *", readMlxlink, "mlx5_0") }

func FuzzMlxconfig(f *testing.F) { parsetest.FuzzRead(f, "mlxconfig *", readMlxconfig, "mlx5_0") }

func FuzzMstStatus(f *testing.F) { parsetest.FuzzRead(f, "mst status", readMstStatus) }

func FuzzIbswinfo(f *testing.F) { parsetest.FuzzRead(f, "ibswinfo", readIbswinfo) }

func FuzzCMA(f *testing.F) { parsetest.FuzzRead(f, "cma_roce_tos * *", readCMA, "mlx5_0", "1") }

func FuzzRDMASystem(f *testing.F) { parsetest.FuzzRead(f, "rdma system", readRDMASystem) }

func FuzzRDMAResources(f *testing.F) { parsetest.FuzzRead(f, "rdma resource", readRDMAResources) }

func FuzzMlxfwmanager(f *testing.F) { parsetest.FuzzRead(f, "mlxfwmanager", readMlxfwmanager) }
