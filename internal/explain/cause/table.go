package cause

import (
	"linerate/internal/explain/cause/address"
	"linerate/internal/explain/cause/rdma"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/explain/judge"
)

// Tables are the causes that can be a verdict. Tests omit some.
type Tables struct {
	// Network is tried for one flow, and for concurrent flows.
	Network []judge.Cause
	// FollowUp needs a second experiment, and is tried when no cause of Network applies.
	FollowUp []judge.Cause
	Storage  []storage.Cause
	Copies   []storage.CopyCause
}

// All returns all causes.
func All() Tables { return Tables{network(), followUp(), storage.Causes(), storage.CopyCauses()} }

// network returns the causes in the order in which they are tried: impossible readings, the path of the bytes, the
// ceilings, and what limits a connection below them. The first that is at least likely is the verdict.
func network() []judge.Cause {
	return []judge.Cause{
		AboveCeiling,
		address.DuplicateAddress, // before the causes of another interface: it is another machine
		overlay,                  // before the causes of another interface, because a tunnel is one
		address.ARPFlux,          // before the two causes with the same evidence
		address.DuplicateSubnet,  // before wrong-nic, which has the same evidence
		address.WrongNIC,
		address.VlanMismatch,
		address.HashPolarisation,
		address.MemberDown, // before the link, which is full at the rate of the remaining members
		LocalShaper,
		rdma.GIDIndex, // three causes that prevent a measurement
		rdma.Memlock,
		rdma.SmallPathMTU, // before the link, which is full at the smaller packets
		MTUOneSided,       // before the link, which is full at the smaller MTU
		Link,
		duplex, // before the speed, which is then that of half duplex
		linkSpeed,
		pciePayload, // before the hops, whose ceilings assume larger packets
		pcieDegraded,
		pcieUpstream,
		rdma.Alignment,   // before the counters of a NIC that it slows down
		rdma.PFCOneSided, // before the pauses and losses that it causes
		pause,
		rdma.Unmarked, // before the losses that it causes
		rdma.Loss,
		otherTraffic,
		smallSegments,
		firewallDrop, // before what only the pattern of losses shows; it leaves a rule with a rate to the policers
		holdingRule,
		udpFirewallDrop,
		mtuBlackHole,
		bitErrors,
		rxRing,
		backlogDrop,
		conntrackFull,
		paced,
		socketPacing,
		cpuQuota,   // before the program, which waits for it
		MediaLimit, // before the program, which waits for it, too
		AppLimited,
		txQueue,
		FirewallCost,
		ipoibMode,
		OffloadsOff, // before the buffers, which fill up because of a full CPU
		oneQueue,
		virtualQueue,
		numaRemote,
		heat,
		cpuPowerState,
		switchForwarding,
		WindowScaleOff, // before the buffers, which then do not bound the TCP window
		slowReceiver,
		ReceiveWindowCap,
		cwndClamp,
		SendBufferCap,
		udpPaced,
		udpSocketOverflow,
		reordering, // losses that no counter of the ends has
		policer,
		udpPolicer,
		deepBuffer, // before the losses, which a full buffer causes now and then
		shallowBuffer,
		udpFullPort,
		netemLoss,
		randomLoss,
		udpRandomLoss,
		ceMarks,
		rdma.RequestRate,
		cpuPerRequest, // the CPUs, when no other cause applies
		cpuPerPacket,
		cpuCopy,
		iommu, // only ever a candidate
	}
}

// followUp returns the causes in the order in which they are tried.
func followUp() []judge.Cause {
	return []judge.Cause{
		slowSource,
		smallerMTU,
		rateDropper,
		queueDropper,
		lossByChance,
		limitOfOne,
		otherCore,
		sharedPath,
	}
}
