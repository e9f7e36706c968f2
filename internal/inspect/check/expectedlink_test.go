package check

// Outputs of Linux about links, interfaces and its kernel.
func init() {
	judged = append(judged,
		"linux/ethtool *", "linux/ethtool -S *", "linux/ethtool -m *", "linux/ethtool --show-fec *", "linux/ethtool -a *", "linux/ethtool -g *",
		"linux/ethtool -c *", "linux/ethtool -i *", "linux/ethtool -l *", "linux/ip link", "linux/ip address", "linux/ifconfig", "linux/netstat -i",
		"linux/proc/net/softnet_stat", "linux/proc/net/dev", "linux/dmesg")
}
