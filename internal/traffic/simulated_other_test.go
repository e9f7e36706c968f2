//go:build !linux

package traffic

// simulatedWire is a wire over a simulated connection.
func simulatedWire(c connection) *wire { return &wire{conn: c, peer: "simulated"} }

func simulatedUDP(c *simulated, s Setup, index int) *udpWire {
	return &udpWire{conn: c, peer: "simulated", index: index, tag: tagOf("token"), size: int(s.udpSize()), sendMode: UDPPlain, receiveMode: UDPPlain, perCall: 1, in: make([]byte, largestDatagram)}
}

// simulatedStream is the connection of a wire.
func simulatedStream(w *wire) *simulated { return w.conn.(*simulated) }

// simulatedOf is the connection of an end of UDP.
func simulatedOf(e *End, i int) *simulated { return e.udp.wires[i].conn.(*simulated) }
