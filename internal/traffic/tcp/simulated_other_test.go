//go:build !linux

package tcp

// simulatedWire makes a wire over a simulated connection.
func simulatedWire(c connection) *Wire { return &Wire{conn: c, peer: "simulated"} }
