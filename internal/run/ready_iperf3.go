package run

// iperf3 with -J, which also says what the receiver got.
func iperf3() program {
	return program{name: "iperf3", binary: "iperf3", pack: "iperf3",
		command: "iperf3 -c {peer_address} -B {address} -p {port} -t 5 -J", server: "iperf3 -s -1 -B {address} -p {port} --forceflush", ready: "Server listening", read: toolRate("iperf3")}
}
