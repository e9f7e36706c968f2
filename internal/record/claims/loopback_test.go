package claims

import "testing"

// TestLoopback: loopback is found in every form of an output, and only if every connection is on it.
func TestLoopback(t *testing.T) {
	for text, want := range map[string]string{
		"[  5] local 127.0.0.1 port 46666 connected to 127.0.0.1 port 5201": "127.0.0.1",
		"[  5] local ::1 port 46666 connected to ::1 port 5201":             "::1",
		"[  3] local 127.0.0.1 port 4 connected with 127.0.0.1 port 5001":   "127.0.0.1",
		"[  5] local 10.0.0.1 port 46666 connected to 10.0.0.1 port 5201":   "10.0.0.1",
		"[  5] local 10.0.0.1 port 46666 connected to 10.0.0.2 port 5201":   "",
		"[  5] local 127.0.0.1 port 1 connected to 127.0.0.1 port 5201\n" +
			"[  7] local 10.0.0.1 port 2 connected to 10.0.0.2 port 5201": "",
		"Connecting to host localhost, port 5201":                              "localhost",
		"Connecting to host localhost.example.org, port 5201":                  "",
		"Connecting to host nas, port 5201":                                    "",
		"Client connecting to 127.0.1.1, TCP port 5001":                        "127.0.1.1",
		"Accepted connection from ::ffff:127.0.0.1, port 41234":                "::ffff:127.0.0.1",
		`{"start": {"connecting_to": {"host": "localhost", "port": 5201}}}`:    "localhost",
		`"local_host":	"::1",	"local_port": 1, "remote_host":	"::1"`:           "::1",
		`"local_host": "10.0.0.1", "local_port": 1, "remote_host": "10.0.0.2"`: "",
		"[SUM] 0.00-10.00 sec 14.0 GBytes 12.0 Gbits/sec receiver":             "",
	} {
		if got := Loopback(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for command, want := range map[string]string{
		"iperf3 -c localhost -P 4": "localhost", "iperf3 -P 4 -c 127.0.0.1": "127.0.0.1",
		"iperf -c::1": "::1", "iperf3 --client=127.0.0.1 -J": "127.0.0.1", "iperf3 -c nas": "", "iperf3 -s": "",
		"iperf3 -s -p 5201": "", "ssh localhost iperf3 -c nas": ""} {
		if got := LoopbackTyped(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
