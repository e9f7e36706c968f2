package claims

import (
	"math"
	"strings"
	"testing"
)

// Two measurements as a web page prints them: one line of text each (4 streams over 40GbE, MTU 1500 and 9000, from
// Windows).
const (
	small = `[ ID] Interval Transfer Bitrate [ 5] 0.00-10.00 sec 3.50 GBytes 3.01 Gbits/sec sender [ 5] 0.00-10.00 sec 3.50 GBytes 3.00 Gbits/sec receiver [ 7] 0.00-10.00 sec 3.49 GBytes 3.00 Gbits/sec sender [ 7] 0.00-10.00 sec 3.49 GBytes 3.00 Gbits/sec receiver [ 9] 0.00-10.00 sec 3.49 GBytes 3.00 Gbits/sec sender [ 9] 0.00-10.00 sec 3.49 GBytes 3.00 Gbits/sec receiver [ 11] 0.00-10.00 sec 3.48 GBytes 2.99 Gbits/sec sender [ 11] 0.00-10.00 sec 3.48 GBytes 2.99 Gbits/sec receiver [SUM] 0.00-10.00 sec 14.0 GBytes 12.0 Gbits/sec sender [SUM] 0.00-10.00 sec 14.0 GBytes 12.0 Gbits/sec receiver`
	// The text of an old client (shape: iperf3 3.1.3 on Windows, UDP): intervals, and the whole time without a receiver's
	// line.
	datagrams = "[  4] local 10.129.0.4 port 49526 connected to 10.129.0.3 port 5201\n[ ID] Interval           " +
		"Transfer     Bandwidth       Total Datagrams\n" +
		"[  4]   0.00-1.00   sec   159 MBytes  1.34 Gbits/sec  20398\n[  4]   1.00-2.00   sec   166 MBytes  1.40 " +
		"Gbits/sec  21292\n[  4]   2.00-3.00   sec   167 MBytes  1.40 Gbits/sec  21323\n" +
		"- - - - -\n[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n[  4]   " +
		"0.00-3.00   sec   492 MBytes  1.38 Gbits/sec  0.072 ms  35148/62949 (56%)\n[  4] Sent 62949 datagrams\n\niperf " +
		"Done.\n"
	again = "iperf 3.16\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-1.00   sec  1.10 " +
		"GBytes  9.41 Gbits/sec   12   1.2 MBytes\n[  5]   0.00-10.00  sec  10.9 GBytes  9.40 Gbits/sec   43             " +
		"sender\n[  5]   0.00-10.00  sec  10.9 GBytes  9.39 Gbits/sec                  receiver\n"
	hosts   = `{"start":{"version":"iperf 3.1.3","test_start":{"protocol":"TCP","num_streams":2}},"end":{"streams":[{"sender":{"bits_per_second":1.5e9},"receiver":{"bits_per_second":1.4e9}},{"sender":{"bits_per_second":1.5e9},"receiver":{"bits_per_second":1.3e9}}],"sum_sent":{"seconds":10,"bits_per_second":3e9,"retransmits":7},"sum_received":{"seconds":10.1,"bits_per_second":2.7e9},"cpu_utilization_percent":{"host_total":99.5,"remote_total":40.25}}}`
	refused = `{"start":{},"intervals":[],"end":{},"error":"error - unable to connect to server: Connection refused"}`
)

func TestIPerf3(t *testing.T) {
	for _, c := range []struct {
		name, text    string
		rate, seconds float64
		streams       int
		version, over string
		retransmits   int64 // -1: not known
		line          string
	}{
		{"a web page", small, 12e9, 10, 4, "", "tcp", -1, "[SUM] 0.00-10.00 sec 14.0 GBytes 12.0 Gbits/sec receiver"},
		{"datagrams that were lost", datagrams, 1.38e9 * (1 - 35148.0/62949), 3, 1, "", "udp", -1, "35148/62949"},
		{"retransmitted", again, 9.39e9, 10, 1, "3.16", "tcp", 43, "receiver"},
		{"JSON", hosts, 2.7e9, 10.1, 2, "3.1.3", "tcp", 7, "end.sum_received.bits_per_second: 2700000000"},
		{"JSON behind a line of the shell", "$ iperf3 -c nas -J\n" + hosts, 2.7e9, 10.1, 2, "3.1.3", "tcp", 7,
			"end.sum_received"},
	} {
		all, err := Read("iperf3", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f := all[0]
		n := f.Retransmits.Or(-1)
		if math.Abs(float64(f.Rate)-c.rate) > 1 || f.Seconds != c.seconds || len(f.Streams) != c.streams ||
			f.Version != c.version ||
			f.Transport != c.over ||
			n != c.retransmits ||
			!strings.Contains(f.Line, c.line) {
			t.Errorf("%s: %+v", c.name, f)
		}
		if one, known := f.OneThread.Get(); known != (c.version != "") || one != (c.version == "3.1.3") {
			t.Errorf("%s: one thread: %v %v", c.name, one, known)
		}
	}
	if all, _ := Read("iperf3", []byte(hosts)); all[0].SenderCPU.Or(0) != 0.995 || all[0].ReceiverCPU.Or(0) != 0.4025 {
		t.Errorf("%+v", all)
	}
}

func TestIPerf3Wrong(t *testing.T) {
	for text, want := range map[string]string{
		"":           "it is empty",
		"hello":      "no line of iperf3",
		refused:      "unable to connect to server",
		"{":          "begins as JSON and is none",
		"{}":         "not of iperf3",
		`{"end":{}}`: "no sum of the whole time",
		"[  5]   0.00-1.00   sec   171 MBytes  1.43 Gbits/sec    0    300 KBytes\n[  5]   1.00-2.00   sec   171 MBytes  " +
			"1.43 Gbits/sec    0    300 KBytes\n": "the measurement was cut off",
		"[  5]   0.00-10.00  sec  0.00 Bytes  0.00 bits/sec                  receiver\n": "its rate is nothing",
	} {
		if f, err := Read("iperf3", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, %+v", text, err, f)
		}
	}
	if _, err := Read("netperf", nil); err == nil || !strings.Contains(err.Error(), "iperf3") {
		t.Error(err)
	}
}
