package fault

// overUDP is a fault that is told by datagrams, which do not slow down for anything: what does not fit is lost.
func overUDP(of Fault, title, cause string, parameters []Parameter, how func(*Place, Values)) Fault {
	of.ID, of.Title, of.Cause, of.Transport, of.Parameters, of.Make = of.ID+"-udp", title, cause, UDP, parameters, how
	return of
}

// slowReaderUDP: what comes while the reader stands still has to find room in its socket.
var slowReaderUDP = overUDP(slowReader, "datagrams for a program that stands still again and again", "udp-socket-overflow", slowReader.Parameters, slowReader.Make)

// shaperUDP holds the sender of datagrams back, whose socket has no room left: nothing is lost.
var shaperUDP = overUDP(shaperTBF, "datagrams through a token bucket left on the sender's interface", "local-shaper",
	[]Parameter{{Name: "share", Unit: "1", Low: 0.2, High: 0.7}}, shaperTBF.Make)

// bufferUDP drops what is above the rate of the switch's port, whatever its buffer is.
var bufferUDP = overUDP(bufferShallow, "datagrams to a port of the switch that is slower than they come", "shallow-buffer",
	[]Parameter{{Name: "share", Unit: "1", Low: 0.3, High: 0.65}, {Name: "buffer", Unit: "B", Low: 8e3, High: 100e3, Log: true}}, bufferShallow.Make)

// lossUDP needs more of them than TCP: datagrams that come at their rate but for a few are what was asked for.
var lossUDP = overUDP(lossRandom, "the link loses datagrams at random", "random-loss",
	[]Parameter{{Name: "loss", Unit: "1", Low: 0.08, High: 0.25}, {Name: "seed", Low: 1, High: 1e6}}, lossRandom.Make)

// policerUDP is a limit in the receiver's firewall.
var policerUDP = overUDP(policerHost, "the receiver's firewall drops datagrams above a rate (nft)", "policer", policerHost.Parameters,
	func(p *Place, v Values) { p.policed("udp", v["share"]) })
