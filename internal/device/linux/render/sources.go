package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/linux"
)

// Sources are the documents of this family. Tests run the commands with the real programs where possible.
var Sources = map[config.Source]string{
	"tc(8)":          "iproute2, tc(8)",
	"kernel bonding": "kernel documentation, networking/bonding; iproute2, ip-link(8), type bond",
	"kernel sysfs-class-net": "kernel documentation, ABI/testing/sysfs-class-net (dev_port, speed); the PCI id is the " +
		"device's own",
	"kernel pci-iov": "kernel documentation, PCI/pci-iov-howto: sriov_numvfs",

	// For the traffic classes.
	"dcb(8)":       "iproute2, dcb(8), dcb-app(8), dcb-dcbx(8), dcb-ets(8), dcb-pfc(8), dcb-apptrust(8)",
	"mlnx_qos":     "mlnx-tools, python/mlnx_qos",
	"cma_roce_tos": "mlnx-tools, sbin/cma_roce_tos and cma_roce_mode",
	"mlnx ecn": "MLNX_OFED, explicit congestion notification: ecn/roce_np/enable and ecn/roce_rp/enable of an " +
		"interface",
	"mlnx tc":           "MLNX_OFED, quality of service: tc/PORT/traffic_class of an RDMA device",
	"mlnx mlx4 pfc":     "MLNX_OFED 4.5, flow control: pfctx and pfcrx of mlx4_en",
	"kernel smb":        "kernel documentation, filesystems/smb/ksmbd",
	"example roce-100g": "the document behind examples/roce-100g.yaml",
	"modinfo(8)":        "kmod, modinfo(8)",
	"systemd.unit(5)":   "systemd, systemd.unit(5) and systemd.service(5)",

	// For the files that survive a reboot.
	"systemd.network(5)":     "systemd, systemd.network(5)",
	"systemd.netdev(5)":      "systemd, systemd.netdev(5)",
	"systemd.device(5)":      "systemd, systemd.device(5) and systemd.unit(5)",
	"netplan(5)":             "netplan, its YAML reference; netplan(5)",
	"nm-settings-keyfile(5)": "NetworkManager, nm-settings-keyfile(5)",
	"interfaces(5)":          "ifupdown, interfaces(5)",
	"ifupdown2":              "ifupdown2, ifupdown-addons-interfaces(5): bond and vlan",
	"sysctl.d(5)":            "systemd and procps, sysctl.d(5)",
}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: linux.System.Family, Host: Host, Sources: Sources},
}
