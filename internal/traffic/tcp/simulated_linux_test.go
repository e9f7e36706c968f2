package tcp

// simulatedWire makes a wire over a simulated connection.
func simulatedWire(c connection) *Wire { return &Wire{fd: -1, peer: "simulated", instead: c} }
