package facts

import (
	"strconv"

	"linerate/internal/base/lazyregexp"
)

// ClassCount is a counter of one class of a port. It runs as Count does; unlike most of those it is told also where it stands at 0.
type ClassCount struct {
	What    ClassCounted
	Subject string // the interface or port
	// Class is the priority of a card's counters and of pauses, the traffic class of a switch's queues; AllClasses where a device counts
	// all of them in one.
	Class int
	Value uint64
	Proof
}

// AllClasses is the class of a counter that does not tell classes apart.
const AllClasses = -1

// ClassCounted is what a counter of one class counts.
type ClassCounted string

// What is counted of a class: bytes of frames, without preamble and gap; the others frames.
const (
	ClassBytesSent     ClassCounted = "class-bytes-sent"
	ClassBytesReceived ClassCounted = "class-bytes-received"
	ClassPauseSent     ClassCounted = "class-pause-sent"     // PFC: this end asked the other one to wait with the class
	ClassPauseReceived ClassCounted = "class-pause-received" // PFC: this end was asked to wait
	ClassSendDrops     ClassCounted = "class-send-drops"     // dropped on the way out of the port: its queue was full
	ClassReceiveDrops  ClassCounted = "class-receive-drops"  // dropped on the way in: no room in the port's buffer
	ClassMarked        ClassCounted = "class-marked"         // ECN: marked as having met congestion
)

// classCounted adds a counter of one class.
func (f *Facts) classCounted(what ClassCounted, subject string, class int, value uint64, line string) {
	f.ClassCounts = append(f.ClassCounts, ClassCount{what, subject, class, value, f.proof(line)})
}

// drivenClasses are the counters of one priority in "ethtool -S" whose meaning is known; the digit is the priority. The first of several
// that mean the same counts. Captures: mlx5 and bnxt bytes, bnxt and Intel pauses. Without one: mlx5's pauses, discards and marks
// (https://docs.kernel.org/networking/device_drivers/ethernet/mellanox/mlx5/counters.html), mlx4 (en_ethtool.c), hns3
// (hclge_main.c), ixgbe (ixgbe_ethtool.c), cxgb4 (cxgb4_ethtool.c).
//
// Not here: i40e's veb.tc_N and bnxt's _cosN, which are of traffic classes and queues of the card, not of priorities.
var drivenClasses = []struct {
	form *lazyregexp.Regexp
	what ClassCounted
}{
	{lazyregexp.New(`^tx_prio_?(\d)_bytes$`), ClassBytesSent}, // mlx5, mlx4
	{lazyregexp.New(`^rx_prio_?(\d)_bytes$`), ClassBytesReceived},
	{lazyregexp.New(`^tx_bytes_pri(\d)$`), ClassBytesSent}, // bnxt
	{lazyregexp.New(`^rx_bytes_pri(\d)$`), ClassBytesReceived},
	{lazyregexp.New(`^tx_prio(\d)_pause$`), ClassPauseSent}, // mlx5
	{lazyregexp.New(`^rx_prio(\d)_pause$`), ClassPauseReceived},
	{lazyregexp.New(`^tx_pause_prio_(\d)$`), ClassPauseSent}, // mlx4
	{lazyregexp.New(`^rx_pause_prio_(\d)$`), ClassPauseReceived},
	{lazyregexp.New(`^tx_pfc_ena_frames_pri(\d)$`), ClassPauseSent}, // bnxt
	{lazyregexp.New(`^rx_pfc_ena_frames_pri(\d)$`), ClassPauseReceived},
	{lazyregexp.New(`^(?:port\.)?tx_priority_(\d)_xoff(?:_tx)?(?:\.nic)?$`), ClassPauseSent}, // i40e, ice
	{lazyregexp.New(`^(?:port\.)?rx_priority_(\d)_xoff(?:_rx)?(?:\.nic)?$`), ClassPauseReceived},
	{lazyregexp.New(`^tx_pb_(\d)_pxoff$`), ClassPauseSent}, // ixgbe
	{lazyregexp.New(`^rx_pb_(\d)_pxoff$`), ClassPauseReceived},
	{lazyregexp.New(`^mac_tx_pfc_pri(\d)_pkt_num$`), ClassPauseSent}, // hns3
	{lazyregexp.New(`^mac_rx_pfc_pri(\d)_pkt_num$`), ClassPauseReceived},
	{lazyregexp.New(`^tx_ppp_?(\d)$`), ClassPauseSent}, // cxgb4
	{lazyregexp.New(`^rx_ppp_?(\d)$`), ClassPauseReceived},
	{lazyregexp.New(`^rx_prio(\d)_discards$`), ClassReceiveDrops}, // mlx5
	{lazyregexp.New(`^rx_prio(\d)_marked$`), ClassMarked},
}

// drivenClass takes a driver's counter, if it is one of a priority.
func (f *Facts) drivenClass(subject, name string, value uint64, line string) {
	for _, d := range drivenClasses {
		if m := d.form.FindStringSubmatch(name); m != nil && m[1][0] < '8' {
			f.classCounted(d.what, subject, int(m[1][0]-'0'), value, line)
			return
		}
	}
}

// bsdClasses are the same of FreeBSD, by the last word of a sysctl's name: mlx5's (sys/dev/mlx5/mlx5_en/en.h) and cxgbe's, of which there is
// a capture.
var bsdClasses = []struct {
	form *lazyregexp.Regexp
	what ClassCounted
}{
	{lazyregexp.New(`^(?:prio(\d)_tx_pause|tx_ppp(\d))$`), ClassPauseSent},
	{lazyregexp.New(`^(?:prio(\d)_rx_pause|rx_ppp(\d))$`), ClassPauseReceived},
	{lazyregexp.New(`^prio(\d)_rx_discards()$`), ClassReceiveDrops},
}

func (f *Facts) bsdClass(subject, name string, value uint64, line string) {
	for _, d := range bsdClasses {
		if m := d.form.FindStringSubmatch(name); m != nil && (m[1] + m[2])[0] < '8' {
			f.classCounted(d.what, subject, int((m[1] + m[2])[0]-'0'), value, line)
			return
		}
	}
}

// routerosClasses takes the counters of queues and pauses of a switch's port, as "qos port print stats" and "print pfc" have them:
// tx-queue3-byte, drop-queue1-packet, rx-pause. The answer leaves a queue out that counted nothing, so that in one that has the port's own
// counters a queue that is missing stands at 0. Pauses are of all classes of the port. Captures: the manual's.
func (f *Facts) routerosClasses(row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	_, whole := row.count("tx-packet")
	for class := range 8 {
		for _, c := range []struct {
			key  string
			what ClassCounted
		}{{"tx-queue" + strconv.Itoa(class) + "-byte", ClassBytesSent}, {"drop-queue" + strconv.Itoa(class) + "-packet", ClassSendDrops}} {
			if v, ok := row.count(c.key); ok {
				f.classCounted(c.what, name, class, v, row.from(c.key))
			} else if whole {
				f.classCounted(c.what, name, class, 0, row.from("tx-packet"))
			}
		}
	}
	for _, c := range []struct {
		key  string
		what ClassCounted
	}{{"rx-pause", ClassPauseReceived}, {"tx-pause", ClassPauseSent}, {"pfc-tx", ClassPauseSent}} {
		if v, ok := row.count(c.key); ok {
			f.classCounted(c.what, name, AllClasses, v, row.from(c.key))
		}
	}
}
