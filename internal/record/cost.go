package record

// Cost is what moving data takes of the processor, fitted over cells of different MTU or message size: processor
// seconds = per packet x packets + per byte x bytes + per call x calls. Each repeat of all cells is one fit; the
// estimates are over these. A part that the cells cannot tell apart is nil, and Why says why.
type Cost struct {
	Experiment string            `json:"experiment"`
	Variant    string            `json:"variant,omitempty"`
	Host       string            `json:"host"`       // "nas+desk": both ends on one machine, whose processor time cannot be told apart
	End        string            `json:"end"`        // sender, receiver, both
	Settings   map[string]string `json:"settings"`   // what all its cells have in common
	PerPacket  *Estimate         `json:"per_packet"` // seconds of a core, with the packet's share of the acknowledgements
	PerByte    *Estimate         `json:"per_byte"`   // seconds of a core for a byte of payload; the packets' part in it where PerPacket is nil
	PerCall    *Estimate         `json:"per_call,omitempty"`
	Repeats    int               `json:"repeats"`          // fits
	Residual   *float64          `json:"residual"`         // largest |fitted/measured - 1| over the cells; nil: as many cells as parts
	Merged     []string          `json:"merged,omitempty"` // offloads that hand the protocols several packets as one: "tso on nas"
	Cells      []CostCell        `json:"cells"`
	Why        string            `json:"unknown,omitempty"`
}

// CostCell is one cell of a fit: what a core carried there, and what the fitted cost says that it carries.
type CostCell struct {
	Experiment string  `json:"id"`
	MTU        string  `json:"mtu"`
	Size       string  `json:"size,omitempty"` // of a message
	Packet     float64 `json:"packet"`         // payload bytes of a packet, as the interface counted them; 0: not known
	Goodput    float64 `json:"goodput"`        // bits per second
	Cores      float64 `json:"cores"`          // in use
	Measured   float64 `json:"measured"`       // bits per processor second
	Fitted     float64 `json:"fitted"`         // bits per processor second; 0: nothing fitted
}
