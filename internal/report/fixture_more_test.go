package report

import (
	"encoding/json"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const bad = "\"><script>x</script>$(touch /tmp/p)\x1b]0;\u009b31m\u202e</script>"

// hostileRun is a mesh every text of which comes from an enemy.
func hostileRun() *record.Run {
	r := meshRun()
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	evil, err := json.Marshal(bad)
	if err != nil {
		panic(err)
	}
	in := strings.Trim(string(evil), `"`)
	text := string(b)
	for _, word := range []string{"desktop", "homelab", "line-rate", "dac 3 m", "lra", "Ethernet", "MNPA19-XTR", "tcp_rmem", "video", "windows", "USD", "k3vq", "10.0.1"} {
		text = strings.ReplaceAll(text, word, word+in)
	}
	out := new(record.Run)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		panic(err)
	}
	return out
}

// sweepRun has two axes with more than two values.
func sweepRun() *record.Run {
	r := pairRun()
	r.ID, r.Sentence, r.Goals = "5eeb", "From 64 KiB on both paths run at the link's rate; below that the program's small writes limit it (likely).", nil
	r.Experiments = r.Experiments[3:]
	n := 10
	for _, d := range []string{"out", "in", "both"} {
		for _, s := range []int{1, 4, 8} {
			if d == "both" && s < 8 {
				continue
			}
			for k := 0; k < 12; k++ {
				n++
				size := 512 << k
				share := 1 - math.Exp(-float64(size)*float64(s)/9000)
				e := stream(n, "blocks", "nas", "pc", "nas.cx3.1--pc.cx3.1", d, s, 40e9, share*0.998, false)
				e.Settings["size"] = unit.Bytes(size).String()
				e.CPU = nil
				for i := range e.Repeats {
					// Each message has its price: small ones fill both processors.
					used := e.Repeats[i].Goodput / 8 * (0.1e-9 + 300e-9/float64(size)) * (1 + 0.02*float64(i))
					e.Repeats[i].Streams = nil
					e.Repeats[i].CPU = []record.CPU{{Host: "nas", Core: -1, System: used}, {Host: "pc", Core: -1, System: used / 2}}
				}
				e.InEffect["size"] = e.Settings["size"]
				if share < 0.95 {
					e.Verdict.Limiter, e.Verdict.Confidence, e.Verdict.Sentence = "app-limited", "likely", "The program writes too little at once."
				}
				r.Experiments = append(r.Experiments, e)
			}
		}
	}
	sure := func(v float64) *record.Estimate {
		return &record.Estimate{Median: v, Low: v * 0.97, High: v * 1.04, Interval: "95%", Repeats: 6}
	}
	residual := 0.034
	r.Costs = []record.Cost{
		{Experiment: "jumbo", Host: "nas", End: "sender", Settings: map[string]string{"streams": "1"}, PerPacket: sure(593e-9), PerByte: sure(0.2603e-9), Repeats: 6, Residual: &residual,
			Cells: []record.CostCell{{MTU: "1500", Packet: 1448, Goodput: 12e9, Cores: 0.98, Measured: 12.2e9, Fitted: 11.93e9}, {MTU: "9000", Packet: 8948, Goodput: 24.5e9, Cores: 1, Measured: 24.5e9, Fitted: 24.49e9}}},
		{Experiment: "blocks", Host: "nas+pc", End: "both", Settings: map[string]string{"streams": "8"}, PerByte: sure(0.1e-9), PerCall: sure(300e-9), Repeats: 6, Residual: &residual,
			Merged: []string{"tso on nas"}, Why: "every cell has MTU 9000, so the cost of packets is within that of the bytes; another MTU tells them apart",
			Cells: []record.CostCell{{MTU: "9000", Size: "512B", Packet: 61440, Goodput: 6e9, Cores: 2, Measured: 3e9, Fitted: 2.9e9}, {MTU: "9000", Size: "1MiB", Packet: 62000, Goodput: 39e9, Cores: 1, Measured: 39e9, Fitted: 40e9}}},
		{Experiment: "jumbo", Variant: "old", Host: "pc", End: "receiver", Settings: map[string]string{}, Repeats: 0, Why: "the processor time of pc was not read in full",
			Cells: []record.CostCell{{MTU: "1500", Goodput: 12e9}, {MTU: "9000", Goodput: 24.5e9}}},
	}
	return r
}
