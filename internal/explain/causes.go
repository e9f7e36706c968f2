package explain

import (
	"slices"

	"linerate/internal/record"
)

// Strength is how far the evidence carries a cause.
type Strength int

// The strengths. Proved: an identity closes within 5 %, or removing the cause
// raised goodput. Likely: two independent pieces of evidence and none against.
const (
	Candidate Strength = iota + 1
	Likely
	Proved
)

// Cause is one thing that can hold goodput back.
type Cause struct {
	ID    string
	Title string // a few words for the table: "receive window of the receiver"
	// Transport that the cause is one of: tcp, udp or rdma; empty: TCP and UDP.
	Transport string
	// RDMA says that it holds of RDMA, too: it goes by what is under all transports.
	RDMA bool
	// Test looks for the cause in what one experiment left behind; nil: nothing
	// speaks for it. A cause without it is one of experiments that give no figure.
	Test func(*Case) *Match
	// Fails is Test of an experiment that gave no figure: nothing passed, or a connection was not made. Nil: it is not asked there.
	Fails func(*Case) *Match
}

// Match is a cause that something speaks for.
type Match struct {
	Strength    Strength
	Component   string // what to look at: "nas: receive window"
	Sentence    string
	Evidence    []record.Evidence
	Identity    *record.Identity
	Fix, Undo   string
	Next        string // a measure command that would settle it
	NextCeiling string
	// Other is the interface that the traffic used instead of the planned one, of a match that is about that.
	Other string
	// Ask is an experiment that says more of a cause that holds already; nil: none.
	Ask *record.Next
}

// causes in the order in which they are asked: readings that cannot be, then
// where the bytes went, the ceilings, and what holds a connection below them. The first
// that is at least likely is the verdict; later ones wait behind it.
var causes = []Cause{
	aboveCeiling,
	duplicateAddress, // before those of another interface: it is another machine
	overlay,          // before those of another interface, which a tunnel is
	arpFlux,          // before the two that have the same bytes to show
	duplicateSubnet,  // before wrong-nic, which has the same bytes to show
	wrongNIC,
	vlanMismatch,
	hashPolarisation,
	memberDown, // before the link, which is full of what is left of the bond
	localShaper,
	gidIndex, // three that leave nothing measured
	memlock,
	rdmaPathMTU, // before the link, which is full at the smaller packets
	mtuOneSided, // before the link, which is full at the smaller MTU
	link,
	duplex, // before the speed, which is that of half duplex then
	linkSpeed,
	pciePayload, // before the hops, which carry enough with larger packets
	pcieDegraded,
	pcieUpstream,
	rdmaAlignment, // before what the slow card of it counts
	pfcOneSided,   // before the pauses and losses that it is the reason of
	pause,
	rdmaUnmarked, // before the losses that it is the reason of
	rdmaLoss,
	otherTraffic,
	smallSegments,
	mtuBlackHole,
	bitErrors,
	rxRing,
	backlogDrop,
	conntrackFull,
	paced,
	socketPacing,
	cpuQuota,   // before the program, which waits for it
	mediaLimit, // before the program, which waits for it, too
	appLimited,
	txQueue,
	firewallCost,
	ipoibMode,
	offloadsOff, // before the windows, which fill up behind a processor that is full
	oneQueue,
	virtualQueue,
	numaRemote,
	heat,
	cpuPowerState,
	switchForwarding,
	windowScalingOff, // before the buffers, which are not what bounds the window then
	slowReceiver,
	receiveWindowCap,
	cwndClamp,
	sendBufferCap,
	udpPaced,
	udpSocketOverflow,
	reordering, // losses that no counter of the ends has
	policer,
	udpPolicer,
	deepBuffer, // before the losses, which a full one has now and then
	shallowBuffer,
	udpFullPort,
	netemLoss,
	randomLoss,
	udpRandomLoss,
	ceMarks,
	rdmaRequestRate,
	cpuPerRequest, // the processors, when nothing else holds
	cpuPerPacket,
	cpuCopy,
	iommu, // a candidate alone
}

// tables are the causes of which a verdict is made. A test leaves one out.
type tables struct {
	causes, chase []Cause
	storage       []storageCause
	copies        []copyCause
}

// known are all causes.
func known() tables { return tables{causes, chaseCauses, storageCauses, copyCauses} }

// possible says whether the cause is one of the case's transport.
func (cause Cause) possible(c *Case) bool {
	if c.overRDMA() {
		return cause.RDMA || cause.Transport == "rdma"
	}
	if cause.Transport == "rdma" {
		return false
	}
	return cause.Transport == "" || (cause.Transport == "udp") == c.overUDP()
}

// Causes lists the ids of all causes that are looked for, and the two verdicts
// that are none.
func Causes() []string {
	ids := make([]string, 0, len(causes)+2)
	for _, c := range slices.Concat(causes, chaseCauses) {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return append(ids, Unexplained, NotKnown)
}

// Verdicts that name no cause.
const (
	Unexplained = "unexplained"
	NotKnown    = "unknown"
)
