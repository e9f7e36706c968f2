package traffic

// simulatedWire is a wire over a simulated connection.
func simulatedWire(c connection) *wire { return &wire{fd: -1, peer: "simulated", instead: c} }

func simulatedUDP(c *simulated, s Setup, index int) *udpWire {
	w := &udpWire{fd: -1, instead: c, peer: "simulated", index: index, tag: tagOf("token"), size: int(s.udpSize()), perCall: 1, sendMode: UDPPlain, receiveMode: UDPPlain}
	w.in.make(w)
	return w
}

// simulatedStream is the connection of a wire.
func simulatedStream(w *wire) *simulated { return w.instead.(*simulated) }

// simulatedOf is the connection of an end of UDP.
func simulatedOf(e *End, i int) *simulated { return e.udp.wires[i].instead.(*simulated) }
