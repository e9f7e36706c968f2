package rdma

import (
	"maps"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// rdmaMeanings are the counters of RDMA ports with a single meaning: InfiniBand's own in
// /sys/class/infiniband/NAME/ports/N/counters (Architecture Specification, PortCounters), and those of drivers in
// hw_counters: mlx5 (NVIDIA's "Understanding mlx5 Linux Counters"), rxe (drivers/infiniband/sw/rxe/rxe_hw_counters.c),
// and without a snapshot bnxt_re (hw_counters.c) and irdma. sent reports that it counts sent packets, not received
// ones.
var rdmaMeanings = map[string]struct {
	what facts.Counted
	sent bool
}{
	"symbol_error":                 {facts.BadFrames, false},
	"port_rcv_errors":              {facts.BadFrames, false},
	"rx_icrc_encapsulated":         {facts.BadFrames, false},
	"link_downed":                  {facts.LinkDowns, false},
	"port_xmit_discards":           {facts.SendDrops, true},
	"port_rcv_switch_relay_errors": {facts.ReceiveDrops, false},
	"out_of_buffer":                {facts.NoBuffer, false},
	"np_ecn_marked_roce_packets":   {facts.Marked, false},
	"rx_ecn_marked_pkts":           {facts.Marked, false}, // bnxt_re
	"RxECNMrkd":                    {facts.Marked, false}, // irdma
	"out_of_sequence":              {facts.OutOfSequence, false},
	"packet_seq_err":               {facts.OutOfSequence, true},
	"implied_nak_seq_err":          {facts.OutOfSequence, true},
	"local_ack_timeout_err":        {facts.OutOfSequence, true},
	"out_of_seq_request":           {facts.OutOfSequence, false}, // rxe
	"rcvd_seq_err":                 {facts.OutOfSequence, true},
	"completer_retry_err":          {facts.OutOfSequence, true},
	"seq_err_naks_rcvd":            {facts.OutOfSequence, true}, // bnxt_re
	"to_retransmits":               {facts.OutOfSequence, true},
	"oos_drop_count":               {facts.OutOfSequence, false},
}

// CountedOfRDMA returns what a counter of an RDMA port counts, by its name; empty: unknown.
func CountedOfRDMA(name string) facts.Counted { return rdmaMeanings[name].what }

// RDMAPacketsSent are the names of the counter of sent packets: InfiniBand's, rxe's and bnxt_re's.
var RDMAPacketsSent = []string{"port_xmit_packets", "sent_pkts", "tx_pkts"}

// frames returns the packets of a port in one direction, if it has such a counter.
func frames(p *facts.RDMAPort, sent bool) unit.Opt[uint64] {
	names := []string{"port_rcv_packets", "rcvd_pkts", "rx_pkts"}
	if sent {
		names = RDMAPacketsSent
	}
	for _, counters := range []map[string]uint64{p.Counters, p.HWCounters} {
		for _, name := range names {
			if n, ok := counters[name]; ok && n > 0 {
				return unit.Known(n)
			}
		}
	}
	return unit.Unknown[uint64]("the port's packets are not in the text")
}

// countRDMA assigns meanings to the counters of a port.
func countRDMA(f *parse.Builder, device string, p *facts.RDMAPort) {
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
			f.Counts = append(f.Counts, facts.Count{What: m.what, Subject: subject, Value: counters[name],
				Of: frames(p, m.sent), Proof: proof})
		}
	}
}
