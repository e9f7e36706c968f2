package facts

// RDMATools is what the tools of InfiniBand and of NVIDIA's cards say beside what belongs to an RDMA device or an interface.
type RDMATools struct {
	IBLinks  []IBLink          // of an InfiniBand fabric, as a host on it sees them
	GIDs     *GIDCount         // how many GIDs show_gids found; nil if it was not asked
	Firmware []FirmwareSetting // of cards, as mlxconfig has them
	Phys     []Phy             // physical ports of cards, as mlxlink has them

	RDMANetns    *RDMASystem     // nil if unknown
	RDMAInUse    []RDMAResources // nil if unknown
	CardFirmware []CardFirmware  // as mlxfwmanager has it

	marks map[string]rdmaMark // asked for RDMA devices, not yet given to their interfaces
	line  string              // of the source that is being read, where that is done line by line
}
