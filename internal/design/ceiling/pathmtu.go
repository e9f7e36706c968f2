package ceiling

import "linerate/internal/base/unit"

// PathMTUs are the sizes of RDMA's own packets that there are, in bytes (InfiniBand Architecture Specification volume 1).
var PathMTUs = []unit.Bytes{256, 512, 1024, 2048, 4096}

// headersOfRDMA is what the kernel leaves for all headers that an RDMA packet in an Ethernet frame may have: GRH 40, UDP 8,
// BTH 12, XRC 4, atomic 28, ICRC 4 (iboe_get_mtu of include/rdma/ib_addr.h).
const headersOfRDMA = 96

// PathMTUFor is the largest path MTU that RDMA over Ethernet takes at an IP MTU: 1024 at 1500, 4096 at 9000; 0 where none fits.
func PathMTUFor(mtu int) unit.Bytes {
	best := unit.Bytes(0)
	for _, m := range PathMTUs {
		if int(m)+headersOfRDMA <= mtu {
			best = m
		}
	}
	return best
}
