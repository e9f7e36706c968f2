package check

// checks are asked in this order. A new one is a file, a line here, and a folder in testdata.
var checks = []Check{
	checkSigning, checkRDMADisabled, checkTransport, checkCluster,
	checkInterface, checkMiscabled, checkLinkDown, checkLinkSpeed, checkDuplex, checkFEC, checkOptics, checkHeat, checkLaserOff,
	checkAddress, checkDuplicateAddress, checkDuplicateMAC, checkDuplicateSubnet, checkARPFlux, checkOverlay, checkWrongNIC, checkVLAN, checkAnswer,
	checkMTU, checkSwitchMTU,
	checkPFCParity, checkTrust, checkClassMap, checkShares, checkECNParity, checkPauseAndPFC, checkWatchdog, checkBlackHole,
	checkOffloads, checkShaper, checkFirewall, checkReceiveBuffer, checkSendBuffer,
	checkDeviceLost, checkNoDriver, checkPCIeDegraded, checkPCIeUpstream, checkPCIeAsleep, checkPCIeErrors, checkPCIePayload, checkResource,
	checkModuleRefused, checkPortDisabled, checkNoLink, checkMemberDown, checkFlap, checkTxTimeout,
	checkBitErrors, checkRxRing, checkBacklog, checkDrops, checkPause, checkRDMALoss, checkMarks, checkStorm,
	checkHardware, checkMLAG, checkPFCOneSided, checkModeIdle, checkCableLength, checkUnsaved,
	checkNotApplied, checkForcedClass, checkUnmapped, checkCNP, checkWRED, checkECNPlacement, checkStarved, checkDCBXGroup,
	checkEgressRate, checkCage, checkDCBXRelease, checkNotOffloaded, checkCPUForwarding,
	checkOneQueue, checkVirtualQueue, checkNUMA, checkSteering, checkPower, checkQuota, checkBudget, checkConntrack, checkMemlock, checkIOMMU, checkFunctions, checkIOMMUGroup, checkHash,
	checkDegraded, checkOneConnection, checkNVMeQueues, checkSMBChannel, checkSMBDirect,
	checkPortType, checkSubnetManager, checkIBRate, checkIPoIB, checkRDMAMTU, checkGID, checkRoCEVersion, checkUnmarked,
	checkPFCAll, checkPFCHeadroom, checkLosslessPool, checkWilling, checkAgents, checkPending, checkFirmwareAvailable, checkTold,
}
