package check

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// command is one way to set or to look at something, in the language of each system. {nic} and the like stand for values. A
// system whose commands nobody has written down here is told in words.
type command struct{ linux, freebsd, windows, words string }

// The commands that checks give as a fix or its undo. FreeBSD: ifconfig(8), route(8), pciconf(8); Windows: the modules NetAdapter
// and NetTCPIP.
var (
	interfaceUp = command{"ip link set dev {nic} up", "ifconfig {nic} up", "Enable-NetAdapter -Name {nic}",
		"switch {nic} on"}
	interfaceDown = command{"ip link set dev {nic} down", "ifconfig {nic} down", "Disable-NetAdapter -Name {nic} -Confirm:$false",
		"switch {nic} off"}
	setMTU = command{"ip link set dev {nic} mtu {mtu}", "ifconfig {nic} mtu {mtu}",
		"Set-NetAdapterAdvancedProperty -Name {nic} -RegistryKeyword '*JumboPacket' -RegistryValue {frame}; netsh interface ipv4 set subinterface {nic} mtu={mtu} store=persistent", "set the MTU of {nic} to {mtu}"}
	addAddress = command{"ip address add {address} dev {nic}", "ifconfig {nic} {family} {address} alias",
		"New-NetIPAddress -InterfaceAlias {nic} -IPAddress {ip} -PrefixLength {bits}", "give {nic} the address {address}"}
	delAddress = command{"ip address del {address} dev {nic}", "ifconfig {nic} {family} {ip} -alias",
		"Remove-NetIPAddress -InterfaceAlias {nic} -IPAddress {ip} -Confirm:$false", "take the address {address} from {nic}"}
	addVLAN = command{"ip link add link {below} name {nic} type vlan id {vlan} && ip link set dev {nic} up && ip address add {address} dev {nic}",
		"ifconfig {nic} create vlan {vlan} vlandev {below} {family} {address}", "", "make {nic}, VLAN {vlan} on {below}, and give it the address {address}"}
	delVLAN  = command{"ip link del dev {nic}", "ifconfig {nic} destroy", "", "take {nic} away"}
	setRoute = command{"ip route replace {to} dev {nic}", "route add -{family} {to} -interface {nic}",
		"New-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic}", "a route to {to} through {nic}"}
	addRoute = command{"ip route add {to} dev {nic}", setRoute.freebsd, setRoute.windows, setRoute.words}
	delRoute = command{"ip route del {to} dev {nic}", "route delete -{family} {to}",
		"Remove-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic} -Confirm:$false", "take away the route to {to} through {nic}"}
	addRouteVia = command{"ip route add {to} via {gateway} dev {nic}", "route add -{family} {to} {gateway}",
		"New-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic} -NextHop {gateway}", "a route to {to} by {gateway}"}
	delRouteVia = command{"ip route del {to} via {gateway} dev {nic}", "route delete -{family} {to} {gateway}",
		"Remove-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic} -NextHop {gateway} -Confirm:$false", "take away the route to {to} by {gateway}"}
	negotiate = command{"ethtool -s {nic} autoneg on", "ifconfig {nic} media autoselect",
		"Reset-NetAdapterAdvancedProperty -Name {nic} -DisplayName 'Speed & Duplex'", "autonegotiation on, at {nic}"}
	setFEC     = command{"ethtool --set-fec {nic} encoding {fec}", "", "", "FEC {fec} at {nic}"}
	setRing    = command{"ethtool -G {nic} rx {ring}", "", "Set-NetAdapterAdvancedProperty -Name {nic} -DisplayName 'Receive Buffers' -DisplayValue {ring}", "a receive ring of {ring} at {nic}"}
	halfDuplex = command{"ethtool -s {nic} autoneg off duplex half", "ifconfig {nic} mediaopt half-duplex", "", ""}

	offloadsOn  = command{"ethtool -K {nic} tx on tso on", "ifconfig {nic} txcsum txcsum6 tso4 tso6", "Enable-NetAdapterChecksumOffload -Name {nic}; Enable-NetAdapterLso -Name {nic}", "checksums and segmentation on, at {nic}"}
	offloadsOff = command{"ethtool -K {nic} tso off", "ifconfig {nic} -tso4 -tso6 -txcsum -txcsum6", "Disable-NetAdapterLso -Name {nic}; Disable-NetAdapterChecksumOffload -Name {nic}", "segmentation and checksums off, at {nic}"}

	// What shows more, and changes nothing.
	showLink     = command{"ethtool {nic}", "ifconfig -vm {nic}", "Get-NetAdapter -Name {nic} | Format-List *", "the state of {nic}"}
	showOffloads = command{"ethtool -k {nic}", "ifconfig -m {nic}: options and capabilities", "Get-NetAdapterLso, Get-NetAdapterChecksumOffload", "the offloads of {nic}"}
	showNames    = command{"ip -br link", "ifconfig -l", "Get-NetAdapter", "the list of its interfaces"}
	showCards    = command{"lspci -nn, dmesg", "pciconf -lv, dmesg", "Get-PnpDevice -Class Net", "the list of its cards, and its log"}
	clearErrors  = command{"setpci -s {at} ECAP_AER+10.l=ffffffff clears", "", "", "a restart of the machine clears"}
	largePackets = command{", or the kernel's: pci=pcie_bus_perf on its command line", "", "", ""}
	showQueues   = command{"ethtool -l {nic}; cat /proc/interrupts", "vmstat -ia", "Get-NetAdapterRss -Name {nic}", "the interrupts of {nic}"}
	askRing      = command{"ethtool -g {nic} shows the ring and its maximum: ethtool -G {nic} rx MAXIMUM; then spread its queues over cores (ethtool -l {nic}; cat /proc/interrupts)",
		"a larger ring in /boot/loader.conf: dev.DRIVER.N.iflib.override_nrxds=\"4096\" for drivers of iflib, else the driver's own (man 4 DRIVER); then restart",
		"Get-NetAdapterAdvancedProperty -Name {nic} -DisplayName 'Receive Buffers' shows the ring; Set-NetAdapterAdvancedProperty with its highest -DisplayValue (the link goes down for a moment)",
		"let pause or PFC hold the sender back, or fewer senders at once"}
	otherModule = command{"a module or cable that is coded for this card; for the driver ixgbe alone: options ixgbe allow_unsupported_sfp=1 in /etc/modprobe.d, then load it again",
		"a module or cable that is coded for this card; for the driver ix alone: hw.ix.unsupported_sfp=1 in /boot/loader.conf, then restart",
		"a module or cable that is coded for this card",
		"a module or cable that is coded for this device, or its maker's command that lets others in, where there is one"}
	findDriver = command{"lspci -nnk -s {at} names the kernel's module for it, if there is one: load it (modprobe)",
		"devmatch names the module for it, if the system has one: load it (kldload), and at boot by /boot/loader.conf; else look whether ports or packages have a driver for {id}",
		"Get-PnpDevice -Class Net says what is wrong with it; its maker's driver for {id}",
		"look which driver takes {id} on this system, and load it"}
	showCounters  = command{"ethtool -S {nic}", "sysctl dev.{dev}", "Get-NetAdapterStatistics -Name {nic} | Format-List *", "the statistics of {nic}"}
	showLinkCodes = command{" (ethtool --show-fec {nic})", "", "", ""}
)

// on is the command in the language of the host's system. values are pairs: "nic", "ix0".
func (c command) on(h *Host, values ...any) string {
	text := map[string]string{"linux": c.linux, "freebsd": c.freebsd, "windows": c.windows}
	system := h.system()
	form, quote := text[system], quoted
	if form == "" {
		form, quote = c.words, func(_, v string) string { return v }
	}
	var pairs []string
	for i := 0; i+1 < len(values); i += 2 {
		pairs = append(pairs, fmt.Sprintf("{%v}", values[i]), quote(system, fmt.Sprint(values[i+1])))
	}
	return strings.NewReplacer(pairs...).Replace(form)
}

// system is what the host runs; what only sources of several systems were kept of is taken for Linux, whose outputs have none of
// their own.
func (h *Host) system() string { return cmp.Or(h.Facts.OS, "linux") }

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted is a value as one word of a shell's line, or of PowerShell's.
func quoted(system, v string) string {
	switch {
	case plainWord.MatchString(v):
		return v
	case system == "windows":
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
}

// then is one command after the other, the second only if the first did not fail where the system's language can say that.
func then(h *Host, first, second string) string {
	if h.system() == "windows" { // its shell of old has no &&
		return first + "; " + second
	}
	return first + " && " + second
}

// sourceOf is where a host's system says something.
func sourceOf(h *Host, linux, freebsd string) string {
	if h.system() == "freebsd" {
		return freebsd
	}
	return linux
}

// seen is the line that says an aspect of an interface, as it stands in the host's capture; else what an output of Linux that has
// no lines says.
func seen(h *Host, n *facts.Interface, aspect, source, line string) record.EvidenceLine {
	if n != nil {
		if p, ok := n.Proofs[aspect]; ok {
			return record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line}
		}
	}
	return record.EvidenceLine{Host: h.Name, Source: source, Line: line}
}
