package parse

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// FileSources are files of FreeBSD's configuration: the configured state, not the running one.
func FileSources() []parse.Source {
	return []parse.Source{
		parse.Source{Name: "etc/rc.conf", Read: ReadRCConf}.On("freebsd").
			KeptAs("rc conf", `(?m)^(?:ifconfig|vlans)_\w+="`),
		parse.Source{Name: "boot/loader.conf", Read: ReadLoaderConf}.On("freebsd").
			KeptAs("loader conf", `(?m)^(?:\w+_load|kern\.ipc\.\w+|hw\.[a-z]\w*[\w.]*|net\.isr\.\w+)="[^"\n]*"`).Ending(".conf"),
		parse.Source{Name: "etc/sysctl.conf", Read: readSysctlConf}.On("freebsd").
			KeptAs("sysctl conf", looksBSD.String()).Ending(".conf"),
	}
}

var (
	rcLine     = lazyregexp.New(`^\s*(?:sysrc )?(ifconfig|vlans)_(\w+?)(_ipv6|_alias\d+)?=(?:"([^"]*)"|'([^']*)'|(\S*))`)
	rcOther    = lazyregexp.New(`\d_(?:name|descr|ipv4|mac)$`) // other keys of an interface in rc.conf
	rcVLANName = lazyregexp.New(`^([a-z][a-z0-9]*\d)_(\d+)$`)
)

// ReadRCConf reads /etc/rc.conf, and lines of sysrc: the settings of interfaces in ifconfig_NAME and vlans_NAME; the
// last line of a name counts. Format: https://man.freebsd.org/rc.conf(5); no snapshot exists, only what package config
// renders.
//
//	ifconfig_mce0="inet 10.50.1.4/24 mtu 9000 media autoselect mediaopt full-duplex"
//	vlans_mce0="711"
func ReadRCConf(f *parse.Builder, _ []string, text []byte) error {
	last := map[string]string{}
	var order []string
	for line := range strings.Lines(string(text)) {
		m := rcLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		variable := m[1] + "_" + m[2] + m[3]
		if _, ok := last[variable]; !ok {
			order = append(order, variable)
		}
		last[variable] = line
	}
	if len(order) == 0 {
		return errors.New("no line of it configures an interface (ifconfig_NAME=, vlans_NAME=)")
	}
	for _, variable := range order {
		line := last[variable]
		m := rcLine.FindStringSubmatch(line)
		name := m[2]
		if v := rcVLANName.FindStringSubmatch(name); v != nil { // mce0.711
			name = v[1] + "." + v[2]
		}
		if name == "DEFAULT" || rcOther.MatchString(name) {
			continue
		}
		rc(f.ConfiguredOf(name), m[1], strings.Fields(m[4]+m[5]+m[6]), f.Proof(line))
	}
	return nil
}

// rc reads the words of a line.
func rc(t *facts.Configured, what string, words []string, p facts.Proof) {
	if what == "vlans" {
		for _, w := range words {
			if n, err := strconv.Atoi(w); err == nil && n > 0 && n < 4095 {
				t.VLANs = append(t.VLANs, n)
			}
		}
		return
	}
	after := func(i int) string {
		if i+1 < len(words) {
			return words[i+1]
		}
		return ""
	}
	for i, w := range words {
		option, off := strings.CutPrefix(w, "-")
		for _, feature := range rcOffloads[option] {
			t.SetOffload(feature, !off, p)
		}
		switch w {
		case "mtu":
			if n, err := strconv.Atoi(after(i)); err == nil && n > 0 && n < 1<<20 {
				t.SetMTU(n, p)
			}
		case "inet", "inet6":
			if a, ok := ifAddress(words[i:]); len(words) > i+1 && ok {
				t.AddAddress(a, p)
			}
		case "media":
			t.Media = after(i)
			t.Proves("media", p)
		case "laggproto":
			t.Protocol = after(i)
		case "laggport":
			t.Members = append(t.Members, after(i))
		case "mediaopt":
			t.PauseSaid = true
			t.Pause = strings.Contains(after(i), "rxpause") || strings.Contains(after(i), "txpause") ||
				strings.Contains(after(i), "flowcontrol")
		}
	}
}

// rcOffloads are ifconfig's words for offloads, by ethtool's names. Source: https://man.freebsd.org/ifconfig(8)
var rcOffloads = map[string][]string{
	"tso": {"tx-tcp-segmentation", "tx-tcp6-segmentation"}, "tso4": {"tx-tcp-segmentation"},
	"tso6": {"tx-tcp6-segmentation"},
	"lro":  {"rx-lro"}, "txcsum": {"tx-checksum-ip-generic"}, "rxcsum": {"rx-checksum"},
}

// ReadLoaderConf reads /boot/loader.conf: the kernel's settings at boot, and modules (NAME_load="YES"), which are not
// facts. Later settings in /etc/sysctl.conf take precedence. Format: https://man.freebsd.org/loader.conf(5); no
// snapshot exists.
//
//	kern.ipc.nmbclusters="262144"
func ReadLoaderConf(f *parse.Builder, _ []string, text []byte) error {
	found := false
	for line := range strings.Lines(string(text)) {
		m := loaderLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		found = true
		if strings.Contains(m[1], ".") {
			f.SettingAsked(m[1], m[2]+m[3], "1 loader", f.Proof(line))
		}
	}
	if !found {
		return errors.New("no line of it sets something (NAME=\"VALUE\")")
	}
	return nil
}

var loaderLine = lazyregexp.New(`^\s*([a-zA-Z][\w.%-]*)\s*=\s*(?:"([^"]*)"|([^\s"#]*))\s*(?:#.*)?$`)

// readSysctlConf reads /etc/sysctl.conf: every configured setting, and those of interfaces' traffic classes. Format:
// https://man.freebsd.org/sysctl.conf(5); no snapshot exists, only what package config renders.
//
//	dev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0
func readSysctlConf(f *parse.Builder, _ []string, text []byte) error {
	values := parseBSDSysctl(text)
	if len(values) == 0 {
		return parse.ToolError(text)
	}
	for _, v := range values {
		f.SettingAsked(v.name, v.value, "2 sysctl", f.Proof(v.line))
		if nic, name, ok := mlx5Setting(v.name); ok {
			n := f.Interface(nic)
			if n.Asked == nil {
				n.Asked = new(facts.Classes)
			}
			mlx5(n.Asked, name, v.value, f.Proof(v.line))
		}
	}
	return nil
}
