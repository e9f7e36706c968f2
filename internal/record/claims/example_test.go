package claims_test

import (
	"fmt"

	"linerate/internal/record/claims"
)

// Read takes the receiver's rate and the CPU time of both ends from iperf3's JSON.
func ExampleRead() {
	figures, err := claims.Read("iperf3", []byte(`{
		"start": {"version": "iperf 3.12", "test_start": {"protocol": "TCP", "num_streams": 1}},
		"end": {
			"sum_sent": {"seconds": 10, "bits_per_second": 9.415e9, "retransmits": 43},
			"sum_received": {"seconds": 10, "bits_per_second": 9.403e9},
			"cpu_utilization_percent": {"host_total": 31.2, "remote_total": 88.2}
		}
	}`))
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	f := figures[0]
	fmt.Println(f.Tool, f.Version, f.Transport, f.Rate)
	fmt.Println("evidence:", f.Line)
	fmt.Println("retransmits:", f.Retransmits.Or(0))
	fmt.Printf("CPU time: sender %.2f cores, receiver %.2f cores\n", f.SenderCPU.Or(0), f.ReceiverCPU.Or(0))
	fmt.Println("latency: unknown,", f.Latency.Why())

	// Output:
	// iperf3 3.12 tcp 9.40 Gb/s
	// evidence: end.sum_received.bits_per_second: 9403000000
	// retransmits: 43
	// CPU time: sender 0.31 cores, receiver 0.88 cores
	// latency: unknown, the output does not say
}

// An output without a result is an error.
func ExampleRead_refused() {
	const output = `{"start": {}, "end": {}, "error": "unable to connect to server: Connection refused"}`
	_, err := claims.Read("iperf3", []byte(output))
	fmt.Println("error:", err)

	// Output:
	// error: iperf3 says of it: unable to connect to server: Connection refused
}
