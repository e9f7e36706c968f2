package check

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"linerate/internal/device"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// command sets or shows something, in the syntax of each system. {nic} and the like are replaced by values. A system
// without commands gets a sentence.
type command struct{ linux, freebsd, windows, words string }

// The commands that checks give as a fix or its undo. FreeBSD: ifconfig(8), route(8), pciconf(8); Windows: the
// modules NetAdapter and NetTCPIP.
var (
	InterfaceUp = command{"ip link set dev {nic} up", "ifconfig {nic} up", "Enable-NetAdapter -Name {nic}",
		"switch {nic} on"}
	InterfaceDown = command{"ip link set dev {nic} down", "ifconfig {nic} down",
		"Disable-NetAdapter -Name {nic} -Confirm:$false", "switch {nic} off"}
	SetMTU = command{"ip link set dev {nic} mtu {mtu}", "ifconfig {nic} mtu {mtu}",
		"Set-NetAdapterAdvancedProperty -Name {nic} -RegistryKeyword '*JumboPacket' -RegistryValue {frame}; netsh " +
			"interface ipv4 set subinterface {nic} mtu={mtu} store=persistent", "set the MTU of {nic} to {mtu}"}
	AddAddress = command{"ip address add {address} dev {nic}", "ifconfig {nic} {family} {address} alias",
		"New-NetIPAddress -InterfaceAlias {nic} -IPAddress {ip} -PrefixLength {bits}", "give {nic} the address {address}"}
	DelAddress = command{"ip address del {address} dev {nic}", "ifconfig {nic} {family} {ip} -alias",
		"Remove-NetIPAddress -InterfaceAlias {nic} -IPAddress {ip} -Confirm:$false", "take the address {address} from {nic}"}
	AddVLAN = command{"ip link add link {below} name {nic} type vlan id {vlan} && ip link set dev {nic} up && ip " +
		"address add {address} dev {nic}",
		"ifconfig {nic} create vlan {vlan} vlandev {below} {family} {address}", "",
		"make {nic}, VLAN {vlan} on {below}, and give it the address {address}"}
	DelVLAN  = command{"ip link del dev {nic}", "ifconfig {nic} destroy", "", "take {nic} away"}
	SetRoute = command{"ip route replace {to} dev {nic}", "route add -{family} {to} -interface {nic}",
		"New-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic}", "a route to {to} through {nic}"}
	AddRoute = command{"ip route add {to} dev {nic}", SetRoute.freebsd, SetRoute.windows, SetRoute.words}
	DelRoute = command{"ip route del {to} dev {nic}", "route delete -{family} {to}",
		"Remove-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic} -Confirm:$false",
		"take away the route to {to} through {nic}"}
	AddRouteVia = command{"ip route add {to} via {gateway} dev {nic}", "route add -{family} {to} {gateway}",
		"New-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic} -NextHop {gateway}", "a route to {to} by {gateway}"}
	DelRouteVia = command{"ip route del {to} via {gateway} dev {nic}", "route delete -{family} {to} {gateway}",
		"Remove-NetRoute -DestinationPrefix {to} -InterfaceAlias {nic} -NextHop {gateway} -Confirm:$false",
		"take away the route to {to} by {gateway}"}
	Negotiate = command{"ethtool -s {nic} autoneg on", "ifconfig {nic} media autoselect",
		"Reset-NetAdapterAdvancedProperty -Name {nic} -DisplayName 'Speed & Duplex'", "autonegotiation on, at {nic}"}
	SetFEC  = command{"ethtool --set-fec {nic} encoding {fec}", "", "", "FEC {fec} at {nic}"}
	SetRing = command{"ethtool -G {nic} rx {ring}", "", "Set-NetAdapterAdvancedProperty -Name {nic} -DisplayName " +
		"'Receive Buffers' -DisplayValue {ring}", "a receive ring of {ring} at {nic}"}
	HalfDuplex = command{"ethtool -s {nic} autoneg off duplex half", "ifconfig {nic} mediaopt half-duplex", "", ""}

	OffloadsOn = command{"ethtool -K {nic} tx on tso on", "ifconfig {nic} txcsum txcsum6 tso4 tso6",
		"Enable-NetAdapterChecksumOffload -Name {nic}; Enable-NetAdapterLso -Name {nic}",
		"checksums and segmentation on, at {nic}"}
	OffloadsOff = command{"ethtool -K {nic} tso off", "ifconfig {nic} -tso4 -tso6 -txcsum -txcsum6",
		"Disable-NetAdapterLso -Name {nic}; Disable-NetAdapterChecksumOffload -Name {nic}",
		"segmentation and checksums off, at {nic}"}

	// Commands that show more, and change nothing.
	ShowLink = command{"ethtool {nic}", "ifconfig -vm {nic}", "Get-NetAdapter -Name {nic} | Format-List *",
		"the state of {nic}"}
	ShowOffloads = command{"ethtool -k {nic}", "ifconfig -m {nic}: options and capabilities",
		"Get-NetAdapterLso, Get-NetAdapterChecksumOffload", "the offloads of {nic}"}
	ShowNames = command{"ip -br link", "ifconfig -l", "Get-NetAdapter", "the list of its interfaces"}
	ShowNICs  = command{"lspci -nn, dmesg", "pciconf -lv, dmesg", "Get-PnpDevice -Class Net",
		"the list of its NICs, and its log"}
	ClearErrors  = command{"setpci -s {at} ECAP_AER+10.l=ffffffff clears", "", "", "a restart of the machine clears"}
	LargePackets = command{", or the kernel's: pci=pcie_bus_perf on its command line", "", "", ""}
	ShowQueues   = command{"ethtool -l {nic}; cat /proc/interrupts", "vmstat -ia", "Get-NetAdapterRss -Name {nic}",
		"the interrupts of {nic}"}
	AskRing = command{"ethtool -g {nic}\nthat shows the ring and its maximum; set it to that:\n" +
		"ethtool -G {nic} rx MAXIMUM\nthen spread its queues over cores:\nethtool -l {nic}; cat /proc/interrupts",
		"a larger ring in /boot/loader.conf: dev.DRIVER.N.iflib.override_nrxds=\"4096\" for drivers of iflib, else the " +
			"driver's own (man 4 DRIVER); then restart",
		"Get-NetAdapterAdvancedProperty -Name {nic} -DisplayName 'Receive Buffers'\nthat shows the ring; " +
			"give Set-NetAdapterAdvancedProperty its highest -DisplayValue (the link goes down for a moment)",
		"let pause or PFC hold the sender back, or fewer senders at once"}
	OtherModule = command{"a module or cable that is coded for this NIC; for the driver ixgbe alone: options ixgbe " +
		"allow_unsupported_sfp=1 in /etc/modprobe.d, then load it again",
		"a module or cable that is coded for this NIC; for the driver ix alone: hw.ix.unsupported_sfp=1 in " +
			"/boot/loader.conf, then restart",
		"a module or cable that is coded for this NIC",
		"a module or cable that is coded for this device, or its maker's command that lets others in, where there is one"}
	FindDriver = command{"lspci -nnk -s {at} names the kernel's module for it, if there is one: load it (modprobe)",
		"devmatch names the module for it, if the system has one: load it (kldload), and at boot by /boot/loader.conf; " +
			"else look whether ports or packages have a driver for {id}",
		"Get-PnpDevice -Class Net says what is wrong with it; its maker's driver for {id}",
		"look which driver takes {id} on this system, and load it"}
	ShowCounters = command{"ethtool -S {nic}", "sysctl dev.{dev}", "Get-NetAdapterStatistics -Name {nic} | Format-List *",
		"the statistics of {nic}"}
	ShowLinkCodes = command{" (ethtool --show-fec {nic})", "", "", ""}
)

// On returns the command for the host's system. values are pairs: "nic", "ix0".
func (c command) On(h *Host, values ...any) string {
	t, system, form, quote := h.Traits(), h.System(), "", Quoted
	switch {
	case t.Proc:
		form = c.linux
	case t.Ifconfig:
		form = c.freebsd
	case t.PowerShell:
		form = c.windows
	}
	if form == "" {
		form, quote = c.words, func(_, v string) string { return v }
	}
	var pairs []string
	for i := 0; i+1 < len(values); i += 2 {
		pairs = append(pairs, fmt.Sprintf("{%v}", values[i]), quote(system, fmt.Sprint(values[i+1])))
	}
	return strings.NewReplacer(pairs...).Replace(form)
}

// System returns the host's operating system. A host with only sources that several systems have counts as Linux.
func (h *Host) System() string { return cmp.Or(h.Facts.OS, "linux") }

// Traits returns the properties of the host's operating system on which checks depend.
func (h *Host) Traits() device.Traits { return families.Traits(h.System()) }

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quoted quotes a value as one word for a shell, or for PowerShell.
func Quoted(system, v string) string {
	switch {
	case plainWord.MatchString(v):
		return v
	case families.Traits(system).PowerShell:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
}

// Then returns one command after the other. The second runs only if the first succeeds, where the system's shell can
// express that.
func Then(h *Host, first, second string) string {
	if h.Traits().PowerShell { // Windows PowerShell has no &&
		return first + "; " + second
	}
	return first + " && " + second
}

// SourceOf returns the source for a host's system.
func SourceOf(h *Host, linux, freebsd string) string {
	if h.Traits().Ifconfig {
		return freebsd
	}
	return linux
}

// Seen returns the line of the host's snapshot that shows an aspect of an interface, or else the given source and line
// of Linux.
func Seen(h *Host, n *facts.Interface, aspect, source, line string) record.EvidenceLine {
	if n != nil {
		if p, ok := n.Proofs[aspect]; ok {
			return record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line}
		}
	}
	return record.EvidenceLine{Host: h.Name, Source: source, Line: line}
}

// RouteValues returns the values of a command about a route.
func RouteValues(to netip.Prefix, gateway netip.Addr, nic string) []any {
	return []any{"to", to, "gateway", gateway, "nic", nic, "family", family(to.Addr())}
}
