package storage

import (
	"net/netip"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	iscsiShort = lazyregexp.New(`^(tcp|iser|bnx2i|cxgb4i|qedi|be2iscsi): \[(\d+)\] (\S+),\d+ (\S+)`)
	iscsiDisk  = lazyregexp.New(`^Attached scsi disk (\S+)`)
)

// readISCSI reads "iscsiadm -m session", with -P 1 to -P 3 or without:
//
//	tcp: [1] 10.72.32.45:3260,1 iqn.2017-06.com.example:server1 (non-flash)
//
//	Target: iqn.2000-05.com.3pardata:20220002ac019d4a (non-flash)
//	        Current Portal: 10.37.120.10:3260,1024
//
// Format: https://man7.org/linux/man-pages/man8/iscsiadm.8.html, open-iscsi's usr/session_info.c
func readISCSI(f *parse.Builder, _ []string, text []byte) error {
	list := []facts.ISCSISession{}
	target := ""
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		if m := iscsiShort.FindStringSubmatch(trimmed); m != nil {
			portal, _ := iscsiPortal(m[3])
			list = append(list, facts.ISCSISession{Target: m[4], Portal: portal, Transport: m[1], ID: m[2],
				Proof: f.Proof(line)})
			continue
		}
		if m := iscsiDisk.FindStringSubmatch(trimmed); m != nil && len(list) > 0 {
			s := &list[len(list)-1]
			s.Disks = append(s.Disks, m[1])
			continue
		}
		key, value, ok := strings.Cut(trimmed, ":")
		value = strings.TrimSpace(value)
		if !ok {
			continue
		}
		switch key {
		case "Target":
			target, _, _ = strings.Cut(value, " ")
		case "Current Portal":
			portal, _ := iscsiPortal(value)
			list = append(list, facts.ISCSISession{Target: target, Portal: portal, Proof: f.Proof(line)})
		}
		if len(list) == 0 || value == "<empty>" {
			continue
		}
		s := &list[len(list)-1]
		switch key {
		case "Iface Transport":
			s.Transport = value
		case "Iface IPaddress":
			s.From, _ = netip.ParseAddr(strings.Trim(value, "[]"))
		case "Iface Netdev":
			s.Netdev = value
		case "SID":
			s.ID = value
		case "iSCSI Session State":
			s.State = value
		case "DataDigest":
			s.Digests = value
		}
	}
	if len(list) == 0 && !strings.Contains(string(text), "No active sessions") {
		return parse.ToolError(text)
	}
	f.Storage.ISCSI = list
	return nil
}

// iscsiPortal reads "10.37.120.10:3260,1024" and "[fd00::1]:3260,1".
func iscsiPortal(s string) (netip.AddrPort, error) {
	s, _, _ = strings.Cut(s, ",")
	return netip.ParseAddrPort(s)
}
