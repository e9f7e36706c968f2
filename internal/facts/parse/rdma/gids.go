package rdma

import (
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var gidsFound = lazyregexp.New(`^n_gids_found=(\d+)`)

// readShowGIDs reads "show_gids" of mlnx-tools: a table with tabs, in which the column IPv4 is empty for IPv6
// addresses, and a last line with their number. Format: https://github.com/Mellanox/mlnx-tools, sbin/show_gids.
//
//	DEV	PORT	INDEX	GID				IPv4  		VER	DEV
//	mlx5_0	1	3	0000:0000:0000:0000:0000:ffff:0a6c:a424	10.108.164.36  	v2	eth01
//	n_gids_found=12
func readShowGIDs(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if m := gidsFound.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				f.GIDs, seen = &facts.GIDCount{N: n, Proof: f.Proof(line)}, true
			}
			continue
		}
		if len(w) >= 4 && w[0] == "DEV" && w[1] == "PORT" && w[2] == "INDEX" {
			seen = true
			continue
		}
		if len(w) < 5 || !IsDeviceName(w[0]) {
			continue
		}
		port, err := strconv.Atoi(w[1])
		index, err2 := strconv.Atoi(w[2])
		gid, err3 := netip.ParseAddr(w[3])
		if err != nil || err2 != nil || err3 != nil || port < 1 || port > 255 || index < 0 || index >= maxGIDs ||
			!gid.Is6() || gid.Zone() != "" {
			continue
		}
		rest := w[4:]
		if _, err := netip.ParseAddr(rest[0]); err == nil {
			rest = rest[1:]
		}
		seen = true
		p := portOfDevice(rdma(f, w[0]), port)
		g := gidOfPort(p, index)
		g.GID = gid
		if len(rest) > 0 {
			switch rest[0] {
			case "v1":
				g.Type = unit.Known("IB/RoCE v1")
			case "v2":
				g.Type = unit.Known("RoCE v2")
			}
		}
		if len(rest) > 1 && IsDeviceName(rest[1]) {
			g.Interface = unit.Known(rest[1])
		}
		says(p, "gid "+w[2], f.Proof(line))
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}
