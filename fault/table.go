package fault

// all faults, live ones first; each has a file.
var all = []Fault{
	receiveBuffer,
	sendBuffer,
	windowScaling,
	shaperTBF,
	shaperHTB,
	routeWrongNIC,
	duplicateSubnet,
	offloadsOff,
	firewallRules,

	pcieDegraded,
	pcieUpstream,
	linkSlow,
	pauseReceived,
}
