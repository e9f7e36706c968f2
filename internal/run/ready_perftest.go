package run

import (
	"errors"
	"strings"

	tools "linerate/internal/record/claims"
)

// perftest are ib_write_bw and its like: the server waits, the client measures. The bandwidth is that of the largest figure of the output, the latency that
// of its only row (t_typical, half of a round trip).
func perftest() (out []program) {
	for _, name := range []string{"ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_write_lat", "ib_read_lat", "ib_send_lat"} {
		p := program{name: name, binary: name, pack: "perftest", command: name + " -F -p {port} {peer_address}", server: name + " -F -p {port}", ready: "Waiting for client", read: toolRate("perftest")}
		if strings.HasSuffix(name, "_lat") {
			p.read = perftestLatency
		}
		out = append(out, p)
	}
	return out
}

func perftestLatency(text string) (reading, error) {
	all, err := tools.Read("perftest", []byte(text))
	if err != nil {
		return reading{}, err
	}
	v, ok := all[0].Latency.Get()
	if !ok || len(all) != 1 || len(all[0].Sizes) > 1 {
		return reading{}, errors.New("it has no single latency; measure one size at a time")
	}
	return reading{v, "s", all[0].Line}, nil
}
