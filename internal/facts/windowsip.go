package facts

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// byIndex is the interface of that number, or of the name that the object has; nil: neither tells.
func (f *Facts) byIndex(o *psObject) *Interface {
	index, ok := o.number("ifIndex", "InterfaceIndex").Get()
	if alias := o.text("InterfaceAlias", "ifAlias"); alias != "" {
		n := f.nic(alias)
		if n.Index == 0 && ok {
			n.Index = int(index)
		}
		return n
	}
	for i := range f.NICs {
		if ok && f.NICs[i].Index == int(index) {
			return &f.NICs[i]
		}
	}
	return nil
}

// takeIPAddress reads Get-NetIPAddress. An address that another machine has, too, is Duplicate; such a one is not in use.
// Properties: MSFT_NetIPAddress; no real output is behind it.
func takeIPAddress(f *Facts, o *psObject) {
	n := f.byIndex(o)
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

// takeIPInterface reads Get-NetIPInterface: the MTU of each family. That of IPv4 counts where both are there.
// Properties: MSFT_NetIPInterface; no real output is behind it.
func takeIPInterface(f *Facts, o *psObject) {
	n := f.byIndex(o)
	mtu, ok := o.number("NlMtu", "NlMtu(Bytes)").Get()
	if n == nil || !ok || mtu <= 0 || mtu >= 1<<20 { // loopback has 4294967295
		return
	}
	family := o.text("AddressFamily")
	n.windows()
	if n.Proofs["nlmtu"].Line != "" && family == "IPv6" {
		return
	}
	n.MTU = int(mtu)
	n.proves("mtu", f.proof(o.line("NlMtu", "NlMtu(Bytes)")))
	n.proves("nlmtu", n.Proofs["mtu"])
}

// takeRoute reads Get-NetRoute. A route's metric and that of its interface are added.
// Properties: MSFT_NetRoute; no real output is behind it.
func takeRoute(f *Facts, o *psObject) {
	n := f.byIndex(o)
	dst, err := netip.ParsePrefix(o.text("DestinationPrefix"))
	if n == nil || err != nil || dst.Addr().IsMulticast() || dst.Bits() == dst.Addr().BitLen() && dst.Addr().Is4() && dst.Addr() == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return
	}
	r := Route{Dst: dst, Interface: n.Name, Metric: int(o.number("RouteMetric").Or(0) + o.number("ifMetric", "InterfaceMetric").Or(0))}
	if via, err := netip.ParseAddr(o.text("NextHop")); err == nil && !via.IsUnspecified() {
		r.Gateway = via
	}
	f.Routes = append(f.Routes, r)
}

// windows that each level of auto-tuning leaves, in bytes.
// Source: Microsoft Learn, Performance tuning network adapters (TCP receive window autotuning levels).
var windowOf = map[string]int64{"disabled": 65535, "highlyrestricted": 262140, "restricted": 1048560, "normal": 16776960, "experimental": 1073725440}

// takeTCPSetting reads Get-NetTCPSetting. Connections have the template Internet unless a filter says otherwise.
func takeTCPSetting(f *Facts, o *psObject) {
	if o.text("SettingName") != "Internet" {
		return
	}
	level := o.text("AutoTuningLevelLocal")
	if o.text("AutoTuningLevelEffective") == "GroupPolicy" {
		level = o.text("AutoTuningLevelGroupPolicy")
	}
	f.autoTuning(level, o.line("AutoTuningLevelLocal"))
	if c := o.text("CongestionProvider"); c != "" {
		f.TCP.CongestionControl = known(strings.ToLower(c))
	}
	if on, ok := o.flag("Timestamps").Get(); ok {
		f.TCP.Timestamps = known(on)
	}
}

func (f *Facts) autoTuning(level, line string) {
	key := psKey(level)
	most, ok := windowOf[key]
	if !ok {
		set(&f.TCP.Window, "the level of auto-tuning is "+shortened(level))
		return
	}
	f.TCP.Window, f.TCP.AutoTuning, f.TCP.WindowScaling = known(most), known(key != "disabled"), known(key != "disabled")
	f.windows().proves("window", f.proof(line))
}

// netshPair is a line of netsh: a name in the system's language, a value in English.
var netshPair = lazyregexp.New(`^(.*\S)\s*:\s+(\S.*)$`)

// readNetshGlobal reads netsh int tcp show global. Names are in the system's language: the level of auto-tuning is the value
// that only it has, or the second line where it could be another's, too.
func readNetshGlobal(f *Facts, _ []string, text []byte) error {
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
		if _, level := windowOf[value]; level && (named || !found && n <= 3 && (n == 2 || value != "disabled")) {
			f.autoTuning(value, strings.TrimSpace(line))
			found = true
		}
	}
	if n < 3 {
		return errors.New("there are no lines of netsh int tcp show global in it")
	}
	if !found {
		set(&f.TCP.Window, "netsh names no level of auto-tuning that is known")
	}
	return nil
}

// powerPlans are Windows' own, by the part of their number that no language changes.
var powerPlans = map[string]string{"381b4222-f694-41f0-9685-ff5bb260df2e": "balanced", "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high performance",
	"a1841308-3541-4fab-bc81-f71556f20b4a": "power saver", "e9a42b02-d5df-448d-aa00-03f14749eb61": "ultimate performance"}

var powerGUID = lazyregexp.New(`(?i)\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b(?:\s+\((.*)\))?`)

// readPowerPlan reads powercfg /getactivescheme. No capture of a real machine is behind it; the numbers are those of
// https://learn.microsoft.com/windows-hardware/customize/power-settings/personalities.
func readPowerPlan(f *Facts, _ []string, text []byte) error {
	m := powerGUID.FindStringSubmatch(string(text))
	if m == nil {
		return errors.New("there is no number of a power plan in it")
	}
	plan := powerPlans[strings.ToLower(m[1])]
	if plan == "" {
		plan = strings.TrimSpace("one of its own " + m[2])
	}
	f.windows().PowerPlan = known(plan)
	f.windows().proves("power", f.proof(strings.TrimSpace(m[0])))
	return nil
}

// takeComputer reads what edition it is: EditionID of the registry (Core is Home), which no language changes, or a name.
// No real output is behind it.
func takeComputer(f *Facts, o *psObject) {
	w := f.windows()
	if name := o.text("EditionID"); name != "" {
		w.Edition = known(name)
		w.proves("edition", f.proof(o.line("EditionID")))
	} else if name := o.text("Caption", "WindowsProductName", "OsName"); name != "" && !w.Edition.IsKnown() {
		w.Edition = known(name)
		w.proves("edition", f.proof(o.line("Caption", "WindowsProductName", "OsName")))
	}
	if b, ok := o.number("BuildNumber", "CurrentBuildNumber", "OsBuildNumber").Get(); ok && b < 1<<20 {
		w.Build = known(int(b))
	}
	if v := o.text("Version", "OsVersion"); v != "" && f.Kernel == "" {
		f.Kernel = v
	}
	if kib, ok := o.number("TotalVisibleMemorySize").Get(); ok && kib > 0 && kib < 1<<40 {
		f.Memory = known(unit.Bytes(kib << 10))
	}
}

// takeProcessor reads Win32_Processor.
// Properties: Win32_Processor; no real output is behind it.
func takeProcessor(f *Facts, o *psObject) {
	if name := o.text("Name"); name != "" {
		f.CPU.Model = known(oneLine(name))
	}
}

// takeOffloadGlobal reads Get-NetOffloadGlobalSetting.
// Properties: MSFT_NetOffloadGlobalSetting; no real output is behind it.
func takeOffloadGlobal(f *Facts, o *psObject) {
	w := f.windows()
	w.NetworkDirect, w.RSS, w.RSC = o.flag("NetworkDirect"), o.flag("ReceiveSideScaling"), o.flag("ReceiveSegmentCoalescing")
	w.AcrossSubnets = unit.Unknown[bool]("NetworkDirectAcrossIPSubnets is not in the capture")
	switch o.text("NetworkDirectAcrossIPSubnets") {
	case "Allowed":
		w.AcrossSubnets = known(true)
	case "Blocked":
		w.AcrossSubnets = known(false)
	}
	for aspect, name := range map[string]string{"networkdirect": "NetworkDirect", "rss": "ReceiveSideScaling", "rsc": "ReceiveSegmentCoalescing"} {
		if o.prop(name) != nil {
			w.proves(aspect, f.proof(o.line(name)))
		}
	}
}

// takeClusterNetwork reads Get-ClusterNetwork.
func takeClusterNetwork(f *Facts, o *psObject) {
	if name, state := o.text("Name"), o.text("State"); name != "" && state != "" {
		f.windows().ClusterNetworks = append(f.windows().ClusterNetworks, ClusterNetwork{name, state, f.proof(o.line("State"))})
	}
}
