package facts

// SwitchState is what a switch says of itself as a whole.
type SwitchState struct {
	Sensors []Sensor // power supplies, fans and temperatures; nil if unknown
	MLAG    *MLAG    // nil if unknown
	// Asked and Effect are of all ports, where a switch has a setting once: a RoCE mode. Nil if there is none, or it is unknown.
	Asked, Effect *Classes
	// Pools are the parts of its buffer, AskedPools those that a configuration asks for; nil if unknown.
	Pools, AskedPools []BufferPool
	Saved             *Saved // whether it comes back as it is; nil if unknown
}

// switchParts are what single answers of a switch say, for what only several of them tell together.
type switchParts struct {
	members          []lagMember
	lags             map[string]bool // aggregated links, and whether they are up
	idle             []notInEffect
	eosMaps          *eosMaps
	all              *Classes // in effect on all ports
	sonic            *sonicConf
	profiles         map[string]*sonicProfile // of SONiC's show ecn
	queueDrops       []queueDrop
	running, startup []confLine // configurations; nil if unknown
}
