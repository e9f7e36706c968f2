package parse

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// byIndex returns the interface with the object's number or name; nil: neither is known.
func byIndex(f *parse.Builder, o *psObject) *facts.Interface {
	index, ok := o.number("ifIndex", "InterfaceIndex").Get()
	if alias := o.text("InterfaceAlias", "ifAlias"); alias != "" {
		n := f.Interface(alias)
		if n.Index == 0 && ok {
			n.Index = int(index)
		}
		return n
	}
	return xslices.At(f.NICs, func(x *facts.Interface) bool { return ok && x.Index == int(index) })
}

// takeIPAddress reads Get-NetIPAddress. It ignores Duplicate addresses, which another machine also has. Properties:
// MSFT_NetIPAddress; no snapshot exists.
func takeIPAddress(f *parse.Builder, o *psObject) {
	n := byIndex(f, o)
	a, err := netip.ParseAddr(o.text("IPAddress", "IPv4Address"))
	bits, ok := o.number("PrefixLength").Get()
	if n == nil || err != nil || !ok {
		return
	}
	p := netip.PrefixFrom(a.WithZone(""), int(bits))
	if p.IsValid() && !slices.Contains(n.Addresses, p) {
		n.Addresses = append(n.Addresses, p)
	}
}

// takeIPInterface reads Get-NetIPInterface: the MTU of each family. That of IPv4 takes precedence. Properties:
// MSFT_NetIPInterface; no snapshot exists.
func takeIPInterface(f *parse.Builder, o *psObject) {
	n := byIndex(f, o)
	mtu, ok := o.number("NlMtu", "NlMtu(Bytes)").Get()
	if n == nil || !ok || mtu <= 0 || mtu >= 1<<20 { // loopback has 4294967295
		return
	}
	family := o.text("AddressFamily")
	adapterOf(n)
	if n.Proofs["nlmtu"].Line != "" && family == "IPv6" {
		return
	}
	n.MTU = int(mtu)
	n.Proves("mtu", f.Proof(o.line("NlMtu", "NlMtu(Bytes)")))
	n.Proves("nlmtu", n.Proofs["mtu"])
}

// takeRoute reads Get-NetRoute. The metrics of a route and its interface are added. Properties: MSFT_NetRoute; no
// snapshot exists.
func takeRoute(f *parse.Builder, o *psObject) {
	n := byIndex(f, o)
	dst, err := netip.ParsePrefix(o.text("DestinationPrefix"))
	if n == nil || err != nil || dst.Addr().IsMulticast() || dst.Bits() == dst.Addr().BitLen() && dst.Addr().Is4() &&
		dst.Addr() == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return
	}
	r := facts.Route{Dst: dst, Interface: n.Name,
		Metric: int(o.number("RouteMetric").Or(0) + o.number("ifMetric", "InterfaceMetric").Or(0))}
	if via, err := netip.ParseAddr(o.text("NextHop")); err == nil && !via.IsUnspecified() {
		r.Gateway = via
	}
	f.Routes = append(f.Routes, r)
}

// tcpWindowOf is the largest receive window of each level of auto-tuning, in bytes. Source: Microsoft Learn,
// Performance tuning network adapters (TCP receive window autotuning levels).
var tcpWindowOf = map[string]int64{"disabled": 65535, "highlyrestricted": 262140, "restricted": 1048560,
	"normal": 16776960, "experimental": 1073725440}

// takeTCPSetting reads Get-NetTCPSetting. Connections use the template Internet unless a filter selects another one.
func takeTCPSetting(f *parse.Builder, o *psObject) {
	if o.text("SettingName") != "Internet" {
		return
	}
	level := o.text("AutoTuningLevelLocal")
	if o.text("AutoTuningLevelEffective") == "GroupPolicy" {
		level = o.text("AutoTuningLevelGroupPolicy")
	}
	autoTuning(f, level, o.line("AutoTuningLevelLocal"))
	if c := o.text("CongestionProvider"); c != "" {
		f.TCP.CongestionControl = unit.Known(strings.ToLower(c))
	}
	if on, ok := o.flag("Timestamps").Get(); ok {
		f.TCP.Timestamps = unit.Known(on)
	}
}

func autoTuning(f *parse.Builder, level, line string) {
	key := psKey(level)
	most, ok := tcpWindowOf[key]
	if !ok {
		parse.Missing(&f.TCP.MaxReceiveWindow, "the level of auto-tuning is "+shortened(level))
		return
	}
	f.TCP.MaxReceiveWindow, f.TCP.AutoTuning, f.TCP.WindowScaling = unit.Known(most), unit.Known(key != "disabled"),
		unit.Known(key != "disabled")
	proves(windowsOf(f), "window", f.Proof(line))
}

// netshPair is a line of netsh: a name in the system's language, a value in English.
var netshPair = lazyregexp.New(`^(.*\S)\s*:\s+(\S.*)$`)

// ReadNetshGlobal reads netsh int tcp show global. Names are in the system's language. The level of auto-tuning is
// recognized by its value, or is on the second line if other settings could have the same value.
func ReadNetshGlobal(f *parse.Builder, _ []string, text []byte) error {
	n := 0
	found := false
	for line := range strings.Lines(string(text)) {
		m := netshPair.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		n++
		value := strings.ToLower(strings.TrimSpace(m[2]))
		named := strings.Contains(m[1], "Auto-Tuning Level")
		if _, level := tcpWindowOf[value]; level && (named || !found && n <= 3 && (n == 2 || value != "disabled")) {
			autoTuning(f, value, strings.TrimSpace(line))
			found = true
		}
	}
	if n < 3 {
		return errors.New("there are no lines of netsh int tcp show global in it")
	}
	if !found {
		parse.Missing(&f.TCP.MaxReceiveWindow, "netsh names no level of auto-tuning that is known")
	}
	return nil
}

// powerPlans are Windows' power plans, by the part of their GUID that no language changes.
var powerPlans = map[string]string{"381b4222-f694-41f0-9685-ff5bb260df2e": "balanced",
	"8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high performance",
	"a1841308-3541-4fab-bc81-f71556f20b4a": "power saver", "e9a42b02-d5df-448d-aa00-03f14749eb61": "ultimate performance"}

var powerGUID = lazyregexp.New(`(?i)\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b(?:\s+\((.*)\))?`)

// ReadPowerPlan reads powercfg /getactivescheme. No snapshot exists; the GUIDs are those of
// https://learn.microsoft.com/windows-hardware/customize/power-settings/personalities.
func ReadPowerPlan(f *parse.Builder, _ []string, text []byte) error {
	m := powerGUID.FindStringSubmatch(string(text))
	if m == nil {
		return errors.New("there is no number of a power plan in it")
	}
	plan := powerPlans[strings.ToLower(m[1])]
	if plan == "" {
		plan = strings.TrimSpace("one of its own " + m[2])
	}
	windowsOf(f).PowerPlan = unit.Known(plan)
	proves(windowsOf(f), "power", f.Proof(strings.TrimSpace(m[0])))
	return nil
}

// takeComputer reads the edition: EditionID of the registry (Core is Home), which no language changes, or a name. No
// snapshot exists.
func takeComputer(f *parse.Builder, o *psObject) {
	w := windowsOf(f)
	if name := o.text("EditionID"); name != "" {
		w.Edition = unit.Known(name)
		proves(w, "edition", f.Proof(o.line("EditionID")))
	} else if name := o.text("Caption", "WindowsProductName", "OsName"); name != "" && !w.Edition.IsKnown() {
		w.Edition = unit.Known(name)
		proves(w, "edition", f.Proof(o.line("Caption", "WindowsProductName", "OsName")))
	}
	if b, ok := o.number("BuildNumber", "CurrentBuildNumber", "OsBuildNumber").Get(); ok && b < 1<<20 {
		w.Build = unit.Known(int(b))
	}
	if v := o.text("Version", "OsVersion"); v != "" && f.Kernel == "" {
		f.Kernel = v
	}
	if kib, ok := o.number("TotalVisibleMemorySize").Get(); ok && kib > 0 && kib < 1<<40 {
		f.Memory = unit.Known(unit.Bytes(kib << 10))
	}
}

// takeCPU reads Win32_Processor; no snapshot exists.
func takeCPU(f *parse.Builder, o *psObject) {
	if name := o.text("Name"); name != "" {
		f.CPU.Model = unit.Known(facts.OneLine(name))
	}
}

// takeOffloadGlobal reads Get-NetOffloadGlobalSetting. Properties: MSFT_NetOffloadGlobalSetting; no snapshot exists.
func takeOffloadGlobal(f *parse.Builder, o *psObject) {
	w := windowsOf(f)
	w.NetworkDirect, w.RSS, w.RSC = o.flag("NetworkDirect"), o.flag("ReceiveSideScaling"),
		o.flag("ReceiveSegmentCoalescing")
	w.AcrossSubnets = unit.Unknown[bool]("NetworkDirectAcrossIPSubnets is not in the snapshot")
	switch o.text("NetworkDirectAcrossIPSubnets") {
	case "Allowed":
		w.AcrossSubnets = unit.Known(true)
	case "Blocked":
		w.AcrossSubnets = unit.Known(false)
	}
	for aspect, name := range map[string]string{"networkdirect": "NetworkDirect", "rss": "ReceiveSideScaling",
		"rsc": "ReceiveSegmentCoalescing"} {
		if o.prop(name) != nil {
			proves(w, aspect, f.Proof(o.line(name)))
		}
	}
}

// takeClusterNetwork reads Get-ClusterNetwork.
func takeClusterNetwork(f *parse.Builder, o *psObject) {
	if name, state := o.text("Name"), o.text("State"); name != "" && state != "" {
		windowsOf(f).ClusterNetworks = append(windowsOf(f).ClusterNetworks,
			facts.ClusterNetwork{Name: name, State: state, Proof: f.Proof(o.line("State"))})
	}
}
