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
	firewallOutput,
	cpuQuota,
	slowReader,
	slowSource,
	autotuningOff,
	routeWindow,
	ruleWrongNIC,
	metricWrongNIC,
	arpFlux,
	otherTraffic,
	txQueue,

	pcieDegraded,
	pcieUpstream,
	linkSlow,
	pauseReceived,
}
