package facts

// linkModes are the names of the kernel's link modes by their bit, as ethtool prints them. Those that are no speed (Autoneg, FIBRE,
// Pause) are empty; newer ones than these are left out of a list. Source: enum ethtool_link_mode_bit_indices of linux/ethtool.h.
var linkModes = [...]string{
	0: "10baseT/Half", 1: "10baseT/Full", 2: "100baseT/Half", 3: "100baseT/Full", 4: "1000baseT/Half", 5: "1000baseT/Full",
	12: "10000baseT/Full", 15: "2500baseX/Full", 17: "1000baseKX/Full", 18: "10000baseKX4/Full", 19: "10000baseKR/Full",
	21: "20000baseMLD2/Full", 22: "20000baseKR2/Full", 23: "40000baseKR4/Full", 24: "40000baseCR4/Full", 25: "40000baseSR4/Full",
	26: "40000baseLR4/Full", 27: "56000baseKR4/Full", 28: "56000baseCR4/Full", 29: "56000baseSR4/Full", 30: "56000baseLR4/Full",
	31: "25000baseCR/Full", 32: "25000baseKR/Full", 33: "25000baseSR/Full", 34: "50000baseCR2/Full", 35: "50000baseKR2/Full",
	36: "100000baseKR4/Full", 37: "100000baseSR4/Full", 38: "100000baseCR4/Full", 39: "100000baseLR4_ER4/Full", 40: "50000baseSR2/Full",
	41: "1000baseX/Full", 42: "10000baseCR/Full", 43: "10000baseSR/Full", 44: "10000baseLR/Full", 45: "10000baseLRM/Full",
	46: "10000baseER/Full", 47: "2500baseT/Full", 48: "5000baseT/Full", 52: "50000baseKR/Full", 53: "50000baseSR/Full",
	54: "50000baseCR/Full", 55: "50000baseLR_ER_FR/Full", 56: "50000baseDR/Full", 57: "100000baseKR2/Full", 58: "100000baseSR2/Full",
	59: "100000baseCR2/Full", 60: "100000baseLR2_ER2_FR2/Full", 61: "100000baseDR2/Full", 62: "200000baseKR4/Full",
	63: "200000baseSR4/Full", 64: "200000baseLR4_ER4_FR4/Full", 65: "200000baseDR4/Full", 66: "200000baseCR4/Full", 67: "100baseT1/Full",
	68: "1000baseT1/Full", 69: "400000baseKR8/Full", 70: "400000baseSR8/Full", 71: "400000baseLR8_ER8_FR8/Full", 72: "400000baseDR8/Full",
	73: "400000baseCR8/Full", 75: "100000baseKR/Full", 76: "100000baseSR/Full", 77: "100000baseLR_ER_FR/Full", 78: "100000baseCR/Full",
	79: "100000baseDR/Full", 80: "200000baseKR2/Full", 81: "200000baseSR2/Full", 82: "200000baseLR2_ER2_FR2/Full",
	83: "200000baseDR2/Full", 84: "200000baseCR2/Full", 85: "400000baseKR4/Full", 86: "400000baseSR4/Full",
	87: "400000baseLR4_ER4_FR4/Full", 88: "400000baseDR4/Full", 89: "400000baseCR4/Full", 90: "100baseFX/Half", 91: "100baseFX/Full",
	92: "10baseT1L/Full", 93: "800000baseCR8/Full", 94: "800000baseKR8/Full", 95: "800000baseDR8/Full", 96: "800000baseDR8_2/Full",
	97: "800000baseSR8/Full", 98: "800000baseVR8/Full",
}
