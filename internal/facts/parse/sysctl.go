package parse

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

func PutCounters(f *Builder, _ []string, counters map[string]uint64) {
	if f.Counters == nil {
		f.Counters = map[string]uint64{}
	}
	for name, v := range counters {
		f.Counters[name] = v
	}
}

// ParseSysctl reads the output of sysctl: "net.ipv4.tcp_sack = 1", one a line. The settings:
// https://docs.kernel.org/networking/ip-sysctl.html and https://docs.kernel.org/admin-guide/sysctl/net.html
func ParseSysctl(text []byte) (map[string]string, error) {
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); ok && key != "" && !strings.ContainsAny(key, " \t") {
			values[strings.ReplaceAll(key, "/", ".")] = strings.TrimSpace(value)
		}
	}
	if len(values) == 0 {
		return nil, ToolError(text)
	}
	return values, nil
}

func PutSysctls(f *Builder, _ []string, values map[string]string) {
	for name, value := range values {
		SetSysctl(f, name, value)
	}
}

// Setting converts one sysctl to a fact: its value, or the reason why it is missing.
type Setting struct {
	Name string
	Set  func(name, value string)
	Miss func(why string)
}

// Settings are the sysctls that are facts. Others stay in the snapshot only.
func Settings(t *facts.TCP) []Setting {
	return []Setting{NewSetting("net.ipv4.tcp_rmem", &t.RMem, threeSizes),
		NewSetting("net.ipv4.tcp_wmem", &t.WMem, threeSizes),
		NewSetting("net.ipv4.tcp_timestamps", &t.Timestamps, SwitchedOn),
		NewSetting("net.ipv4.tcp_window_scaling", &t.WindowScaling, SwitchedOn),
		NewSetting("net.ipv4.tcp_sack", &t.SACK, SwitchedOn),
		NewSetting("net.ipv4.tcp_moderate_rcvbuf", &t.AutoTuning, SwitchedOn),
		NewSetting("net.ipv4.tcp_ecn", &t.ECN, Integer), NewSetting("net.ipv4.tcp_mtu_probing", &t.MTUProbing, Integer),
		NewSetting("net.ipv4.tcp_adv_win_scale", &t.AppWin, Integer),
		NewSetting("net.ipv4.tcp_congestion_control", &t.CongestionControl, Word),
		NewSetting("net.core.rmem_max", &t.RMemMax, Size), NewSetting("net.core.wmem_max", &t.WMemMax, Size)}
}

func NewSetting[T any](name string, to *unit.Opt[T], parse func(string) (T, error)) Setting {
	return Setting{name, func(name, value string) {
		v, err := parse(value)
		if err != nil {
			*to = unit.Unknown[T](fmt.Sprintf("%s is %.60q: %v", name, value, err))
			return
		}
		*to = unit.Known(v)
	}, func(why string) { Missing(to, why) }}
}

func SetSysctl(f *Builder, name, value string) {
	f.SettingIs(name, value, f.Proof(name+" = "+value))
	if keptSysctl(name) {
		if f.Sysctls == nil {
			f.Sysctls = map[string]facts.Proof{}
		}
		f.Sysctls[name] = f.Proof(name + " = " + value)
	}
	for _, s := range Settings(&f.TCP) {
		if s.Name == name {
			s.Set(name, value)
		}
	}
}

func threeSizes(s string) (v [3]int64, err error) {
	fields := strings.Fields(s)
	if len(fields) != 3 {
		return v, errors.New("three sizes are expected")
	}
	for i := range v {
		if v[i], err = Size(fields[i]); err != nil {
			return v, err
		}
	}
	return v, nil
}

func Size(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("it is not a size in bytes")
	}
	return n, nil
}

func SwitchedOn(s string) (bool, error) {
	n, err := Integer(s)
	return n > 0, err
}

func Integer(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errors.New("a whole number is expected")
	}
	return n, nil
}

func Word(s string) (string, error) {
	if s == "" || strings.ContainsAny(s, " \t") {
		return "", errors.New("one word is expected")
	}
	return s, nil
}

// keptSysctl reports whether a setting is kept unchanged for checks.
func keptSysctl(name string) bool {
	for _, p := range []string{"net.core.netdev_", "net.core.dev_weight", "net.netfilter.nf_conntrack_max",
		"net.netfilter.nf_conntrack_count", "net.core.rps_sock_flow_entries",
		"net.core.default_qdisc", "net.core.optmem_max"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return slices.ContainsFunc([]string{".arp_ignore", ".arp_announce", ".rp_filter"}, func(last string) bool {
		return strings.HasPrefix(name, "net.ipv4.conf.") && strings.HasSuffix(name, last)
	})
}
