package freebsd

import "linerate/internal/config/device"

const (
	kldload  device.Source = "kldload(8)"
	loader   device.Source = "loader.conf(5)"
	ifconfig device.Source = "bsd-ifconfig(8)"
	rcConf   device.Source = "rc.conf(5)"
	sysctl   device.Source = "bsd-sysctl(8)"
	mlx5     device.Source = "mlx5en"
	lagg     device.Source = "lagg(4)"
	hosts    device.Source = "hosts(5)"
	document device.Source = "nas-40g"
	truenas  device.Source = "truenas-ui"
	api      device.Source = "truenas-api"
	subnets  device.Source = "truenas-subnets"
	getent   device.Source = "getent(1)"
	syncs    device.Source = "truenas-middleware"
)

// Sources are the documents of this family.
var Sources = map[device.Source]string{
	kldload:  "FreeBSD, kldload(8); the driver's manual page in section 4",
	loader:   "FreeBSD, loader.conf(5); the driver's manual page in section 4",
	ifconfig: "FreeBSD, ifconfig(8)",
	rcConf:   "FreeBSD, rc.conf(5)",
	sysctl:   "FreeBSD, sysctl(8) and sysctl.conf(5)",
	mlx5:     "NVIDIA, FreeBSD driver 3.7.1; freebsd-src, sys/dev/mlx5/mlx5_en/mlx5_en_ethtool.c",
	lagg:     "FreeBSD, lagg(4)",
	document: "the nas-40g document (000): a 40GbE link with FreeBSD 12 (kldload mlx4en, ifconfig mlxen0 mtu 9000)",
	truenas:  "TrueNAS documentation and FreeNAS 11.3 manual: Network, Interfaces; test of 60 seconds, then save",
	api:      "TrueNAS API reference v24.10: interface.update, interface.commit, interface.checkin",
	getent:   "FreeBSD, getent(1); the same in Linux' man-pages",
	syncs:    "truenas/middleware, plugins/network.py: interface.sync starts DHCP on all interfaces while none is saved, and unconfigures those that are not saved once one is; TrueNAS API v25.10, interface.save_network_config",
	subnets:  "TrueNAS documentation, optimisation: interfaces of one system cannot be in the same subnet",
}
