package check

// judgedRDMA are the sources of RDMA, of InfiniBand's fabric tools and of DCB.
var judgedRDMA = []string{"ibstat", "ibstatus", "ibv_devinfo", "ibv_devices", "ibdev2netdev", "rdma link", "rdma dev", "rdma statistic", "show_gids", "show_counters *",
	"perfquery", "iblinkinfo", "ibnetdiscover", "ibportstate", "ibswinfo", "mlxlink *", "mlxconfig *", "mst status", "dcb pfc *", "dcb ets *", "dcb app *", "mlnx_qos *",
	"grep -r . /sys/class/infiniband"}
