package facts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// parseSysctl reads the output of sysctl: "net.ipv4.tcp_sack = 1", one a line.
// The settings: https://docs.kernel.org/networking/ip-sysctl.html and
// https://docs.kernel.org/admin-guide/sysctl/net.html
func parseSysctl(text []byte) (map[string]string, error) {
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); ok && key != "" && !strings.ContainsAny(key, " \t") {
			values[strings.ReplaceAll(key, "/", ".")] = strings.TrimSpace(value)
		}
	}
	if len(values) == 0 {
		return nil, toolError(text)
	}
	return values, nil
}

func putSysctls(f *Facts, _ []string, values map[string]string) {
	for name, value := range values {
		setSysctl(f, name, value)
	}
}

func putSysctl(prefix string) func(*Facts, []string, string) {
	return func(f *Facts, args []string, value string) { setSysctl(f, prefix+args[0], value) }
}

// setting is a fact of one sysctl: from its value, and from why there is none.
type setting struct {
	name string
	set  func(name, value string)
	miss func(why string)
}

// settings are the sysctls that are facts. Others stay in the capture only.
func settings(t *TCP) []setting {
	return []setting{
		fact("net.ipv4.tcp_rmem", &t.RMem, threeSizes),
		fact("net.ipv4.tcp_wmem", &t.WMem, threeSizes),
		fact("net.ipv4.tcp_timestamps", &t.Timestamps, switchedOn),
		fact("net.ipv4.tcp_window_scaling", &t.WindowScaling, switchedOn),
		fact("net.ipv4.tcp_sack", &t.SACK, switchedOn),
		fact("net.ipv4.tcp_moderate_rcvbuf", &t.AutoTuning, switchedOn),
		fact("net.ipv4.tcp_ecn", &t.ECN, integer),
		fact("net.ipv4.tcp_mtu_probing", &t.MTUProbing, integer),
		fact("net.ipv4.tcp_adv_win_scale", &t.AppWin, integer),
		fact("net.ipv4.tcp_congestion_control", &t.CongestionControl, word),
		fact("net.core.rmem_max", &t.RMemMax, size),
		fact("net.core.wmem_max", &t.WMemMax, size),
	}
}

func fact[T any](name string, to *unit.Opt[T], parse func(string) (T, error)) setting {
	return setting{name, func(name, value string) {
		v, err := parse(value)
		if err != nil {
			*to = unit.Unknown[T](fmt.Sprintf("%s is %.60q: %v", name, value, err))
			return
		}
		*to = known(v)
	}, func(why string) { set(to, why) }}
}

func setSysctl(f *Facts, name, value string) {
	f.is(name, value, f.proof(name+" = "+value))
	if keptSysctl(name) {
		if f.Sysctls == nil {
			f.Sysctls = map[string]Proof{}
		}
		f.Sysctls[name] = f.proof(name + " = " + value)
	}
	for _, s := range settings(&f.TCP) {
		if s.name == name {
			s.set(name, value)
		}
	}
}

func missingSysctl(prefix string) func(*Facts, []string, string) {
	return func(f *Facts, args []string, why string) {
		for _, s := range settings(&f.TCP) {
			if s.name == prefix+args[0] {
				s.miss(why)
			}
		}
	}
}

func threeSizes(s string) (v [3]int64, err error) {
	fields := strings.Fields(s)
	if len(fields) != 3 {
		return v, errors.New("three sizes are expected")
	}
	for i := range v {
		if v[i], err = size(fields[i]); err != nil {
			return v, err
		}
	}
	return v, nil
}

func size(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("it is no size in bytes")
	}
	return n, nil
}

func switchedOn(s string) (bool, error) {
	n, err := integer(s)
	return n > 0, err
}

func integer(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errors.New("a whole number is expected")
	}
	return n, nil
}

func word(s string) (string, error) {
	if s == "" || strings.ContainsAny(s, " \t") {
		return "", errors.New("one word is expected")
	}
	return s, nil
}

// keptSysctl says whether a setting is kept as it stands: those that checks look at.
func keptSysctl(name string) bool {
	for _, p := range []string{"net.core.netdev_", "net.core.dev_weight", "net.netfilter.nf_conntrack_max", "net.netfilter.nf_conntrack_count", "net.core.rps_sock_flow_entries",
		"net.core.default_qdisc", "net.core.optmem_max"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	for _, last := range []string{".arp_ignore", ".arp_announce", ".rp_filter"} {
		if strings.HasPrefix(name, "net.ipv4.conf.") && strings.HasSuffix(name, last) {
			return true
		}
	}
	return false
}

// Sysctl is the value of a setting that is kept.
func (f *Facts) Sysctl(name string) (value string, ok bool) {
	p, ok := f.Sysctls[name]
	_, value, _ = strings.Cut(p.Line, " = ")
	return value, ok
}
