package facts

import (
	"maps"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
)

// rdmaMeanings are the counters of RDMA ports that mean one thing: those of /sys/class/infiniband/NAME/ports/N/counters, which
// are InfiniBand's own (Architecture Specification, PortCounters), and those of hw_counters, which are the driver's: mlx5
// (NVIDIA's "Understanding mlx5 Linux Counters"), rxe (drivers/infiniband/sw/rxe/rxe_hw_counters.c), and without a capture bnxt_re
// (hw_counters.c) and irdma. sent says of which packets a counter is one: those that were sent.
var rdmaMeanings = map[string]struct {
	what Counted
	sent bool
}{
	"symbol_error":                 {BadFrames, false},
	"port_rcv_errors":              {BadFrames, false},
	"rx_icrc_encapsulated":         {BadFrames, false},
	"link_downed":                  {LinkDowns, false},
	"port_xmit_discards":           {SendDrops, true},
	"port_rcv_switch_relay_errors": {ReceiveDrops, false},
	"out_of_buffer":                {NoBuffer, false},
	"np_ecn_marked_roce_packets":   {Marked, false},
	"rx_ecn_marked_pkts":           {Marked, false}, // bnxt_re
	"RxECNMrkd":                    {Marked, false}, // irdma
	"out_of_sequence":              {OutOfSequence, false},
	"packet_seq_err":               {OutOfSequence, true},
	"implied_nak_seq_err":          {OutOfSequence, true},
	"local_ack_timeout_err":        {OutOfSequence, true},
	"out_of_seq_request":           {OutOfSequence, false}, // rxe
	"rcvd_seq_err":                 {OutOfSequence, true},
	"completer_retry_err":          {OutOfSequence, true},
	"seq_err_naks_rcvd":            {OutOfSequence, true}, // bnxt_re
	"to_retransmits":               {OutOfSequence, true},
	"oos_drop_count":               {OutOfSequence, false},
}

// CountedOfRDMA is what a counter of an RDMA port counts, by its name; empty: that is not known.
func CountedOfRDMA(name string) Counted { return rdmaMeanings[name].what }

// RDMAPacketsSent are the names that the packets have that a port sent: of InfiniBand's own counters, of rxe and of bnxt_re.
var RDMAPacketsSent = []string{"port_xmit_packets", "sent_pkts", "tx_pkts"}

// frames are the packets that a port moved one way, where one of its counters has them.
func (p *RDMAPort) frames(sent bool) unit.Opt[uint64] {
	names := []string{"port_rcv_packets", "rcvd_pkts", "rx_pkts"}
	if sent {
		names = RDMAPacketsSent
	}
	for _, counters := range []map[string]uint64{p.Counters, p.HWCounters} {
		for _, name := range names {
			if n, ok := counters[name]; ok && n > 0 {
				return known(n)
			}
		}
	}
	return unit.Unknown[uint64]("the port's packets are not in the text")
}

// countRDMA gives the counters of a port their meaning.
func (f *Facts) countRDMA(device string, p *RDMAPort) {
	subject := device
	if p.Port > 1 {
		subject += "/" + strconv.Itoa(p.Port)
	}
	for _, counters := range []map[string]uint64{p.Counters, p.HWCounters} {
		for _, name := range slices.Sorted(maps.Keys(counters)) {
			m, ok := rdmaMeanings[name]
			proof, said := p.Proofs[name]
			if !ok || !said {
				continue
			}
			f.Counts = append(f.Counts, Count{m.what, subject, counters[name], p.frames(m.sent), proof})
		}
	}
}
