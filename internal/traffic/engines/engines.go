// Package engines is the table of all engines.
package engines

import (
	"linerate/internal/traffic"
	"linerate/internal/traffic/halo"
	"linerate/internal/traffic/icmp"
	"linerate/internal/traffic/mptcp"
	"linerate/internal/traffic/rdma"
	"linerate/internal/traffic/tcp"
	"linerate/internal/traffic/udp"
)

// All is the table, with one line for each engine.
func All() traffic.Table {
	return traffic.Table{
		tcp.Stream(),
		udp.Stream(),
		tcp.Ping(),
		udp.Ping(),
		icmp.Ping(),
		mptcp.Stream(),
		rdma.Verbs(),
		halo.OverTCP(),
		halo.OverRDMA(),
	}
}
