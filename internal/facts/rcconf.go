package facts

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// freebsdFiles are files of FreeBSD's configuration: what it is told, not what is so.
func freebsdFiles() []source {
	return []source{
		source{name: "etc/rc.conf", read: readRCConf}.on("freebsd").
			keptAs("rc conf", `(?m)^(?:ifconfig|vlans)_\w+="`),
		source{name: "boot/loader.conf", read: readLoaderConf}.on("freebsd").
			keptAs("loader conf", `(?m)^(?:\w+_load|kern\.ipc\.\w+|hw\.[a-z]\w*[\w.]*|net\.isr\.\w+)="[^"\n]*"`).ending(".conf"),
		source{name: "etc/sysctl.conf", read: readSysctlConf}.on("freebsd").
			keptAs("sysctl conf", looksBSD.String()).ending(".conf"),
	}
}

var (
	rcLine     = lazyregexp.New(`^\s*(?:sysrc )?(ifconfig|vlans)_(\w+?)(_ipv6|_alias\d+)?=(?:"([^"]*)"|'([^']*)'|(\S*))`)
	rcOther    = lazyregexp.New(`\d_(?:name|descr|ipv4|mac)$`) // what else rc.conf says of an interface
	rcVLANName = lazyregexp.New(`^([a-z][a-z0-9]*\d)_(\d+)$`)
)

// readRCConf reads /etc/rc.conf, and lines of sysrc: what its lines ifconfig_NAME and vlans_NAME tell interfaces; the last one of a name
// counts. Format: https://man.freebsd.org/rc.conf(5); no capture is behind it, but what package config renders.
//
//	ifconfig_mce0="inet 10.50.1.4/24 mtu 9000 media autoselect mediaopt full-duplex"
//	vlans_mce0="711"
func readRCConf(f *Facts, _ []string, text []byte) error {
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
		return errors.New("no line of it tells an interface something (ifconfig_NAME=, vlans_NAME=)")
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
		f.toldOf(name).rc(m[1], strings.Fields(m[4]+m[5]+m[6]), f.proof(line))
	}
	return nil
}

// rc reads the words of a line.
func (t *Told) rc(what string, words []string, p Proof) {
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
			t.offload(feature, !off, p)
		}
		switch w {
		case "mtu":
			if n, err := strconv.Atoi(after(i)); err == nil && n > 0 && n < 1<<20 {
				t.mtu(n, p)
			}
		case "inet", "inet6":
			if a, ok := ifAddress(words[i:]); len(words) > i+1 && ok {
				t.address(a, p)
			}
		case "media":
			t.Media = after(i)
			t.proves("media", p)
		case "laggproto":
			t.Protocol = after(i)
		case "laggport":
			t.Members = append(t.Members, after(i))
		case "mediaopt":
			t.PauseSaid = true
			t.Pause = strings.Contains(after(i), "rxpause") || strings.Contains(after(i), "txpause") || strings.Contains(after(i), "flowcontrol")
		}
	}
}

// rcOffloads are ifconfig's words for offloads, by ethtool's names. Source: https://man.freebsd.org/ifconfig(8)
var rcOffloads = map[string][]string{
	"tso": {"tx-tcp-segmentation", "tx-tcp6-segmentation"}, "tso4": {"tx-tcp-segmentation"}, "tso6": {"tx-tcp6-segmentation"},
	"lro": {"rx-lro"}, "txcsum": {"tx-checksum-ip-generic"}, "rxcsum": {"rx-checksum"},
}

// readLoaderConf reads /boot/loader.conf: settings that the kernel starts with, and modules (NAME_load="YES"), which are no facts here. What
// /etc/sysctl.conf sets comes later and counts. Format: https://man.freebsd.org/loader.conf(5); no capture is behind it.
//
//	kern.ipc.nmbclusters="262144"
func readLoaderConf(f *Facts, _ []string, text []byte) error {
	found := false
	for line := range strings.Lines(string(text)) {
		m := loaderLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		found = true
		if strings.Contains(m[1], ".") {
			f.asks(m[1], m[2]+m[3], "1 loader", f.proof(line))
		}
	}
	if !found {
		return errors.New("no line of it sets something (NAME=\"VALUE\")")
	}
	return nil
}

var loaderLine = lazyregexp.New(`^\s*([a-zA-Z][\w.%-]*)\s*=\s*(?:"([^"]*)"|([^\s"#]*))\s*(?:#.*)?$`)

// readSysctlConf reads /etc/sysctl.conf: what the settings of traffic classes tell interfaces, and every
// setting that it asks for. Format: https://man.freebsd.org/sysctl.conf(5); no capture is behind it, but what package config renders.
//
//	dev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0
func readSysctlConf(f *Facts, _ []string, text []byte) error {
	values := parseBSDSysctl(text)
	if len(values) == 0 {
		return toolError(text)
	}
	for _, v := range values {
		f.asks(v.name, v.value, "2 sysctl", f.proof(v.line))
		if nic, name, ok := mlx5Setting(v.name); ok {
			n := f.nic(nic)
			if n.Asked == nil {
				n.Asked = new(Classes)
			}
			n.Asked.mlx5(name, v.value, f.proof(v.line))
		}
	}
	return nil
}
