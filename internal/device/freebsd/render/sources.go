package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/freebsd"
)

const (
	kldload  config.Source = "kldload(8)"
	loader   config.Source = "loader.conf(5)"
	ifconfig config.Source = "bsd-ifconfig(8)"
	rcConf   config.Source = "rc.conf(5)"
	sysctl   config.Source = "bsd-sysctl(8)"
	mlx5     config.Source = "mlx5en"
	lagg     config.Source = "lagg(4)"
	hosts    config.Source = "hosts(5)"
	document config.Source = "nas-40g"
	truenas  config.Source = "truenas-ui"
	api      config.Source = "truenas-api"
	subnets  config.Source = "truenas-subnets"
	getent   config.Source = "getent(1)"
	syncs    config.Source = "truenas-middleware"
)

// Sources are the documents of this family.
var Sources = map[config.Source]string{kldload: "FreeBSD, kldload(8); the driver's manual page in section 4",
	loader: "FreeBSD, loader.conf(5); the driver's manual page in section 4", ifconfig: "FreeBSD, ifconfig(8)",
	rcConf: "FreeBSD, rc.conf(5)", sysctl: "FreeBSD, sysctl(8) and sysctl.conf(5)",
	mlx5: "NVIDIA, FreeBSD driver 3.7.1; freebsd-src, sys/dev/mlx5/mlx5_en/mlx5_en_ethtool.c", lagg: "FreeBSD, lagg(4)",
	document: "the nas-40g document (000): a 40GbE link with FreeBSD 12 (kldload mlx4en, ifconfig mlxen0 mtu 9000)",
	truenas:  "TrueNAS documentation and FreeNAS 11.3 manual: Network, Interfaces; test of 60 seconds, then save",
	api:      "TrueNAS API reference v24.10: interface.update, interface.commit, interface.checkin",
	getent:   "FreeBSD, getent(1); the same in Linux' man-pages",
	syncs: "truenas/middleware, plugins/network.py: interface.sync starts DHCP on all interfaces while none is " +
		"saved, and unconfigures those that are not saved once one is; TrueNAS API v25.10, interface.save_network_config",
	subnets: "TrueNAS documentation, optimisation: interfaces of one system cannot be in the same subnet"}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: freebsd.System.Family, Host: Host, Sources: Sources},
	{Family: freebsd.TrueNAS.Family, Host: TrueNAS, Sources: Sources},
}
