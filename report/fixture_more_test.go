package report

import (
	"encoding/json"
	"math"
	"strings"

	"linerate/result"
	"linerate/unit"
)

const bad = "\"><script>x</script>$(touch /tmp/p)\x1b]0;\u009b31m\u202e</script>"

// hostileRun is a mesh every text of which comes from an enemy.
func hostileRun() *result.Run {
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
	out := new(result.Run)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		panic(err)
	}
	return out
}

// sweepRun has two axes with more than two values.
func sweepRun() *result.Run {
	r := pairRun()
	r.ID, r.Sentence, r.Goals = "5eeb", "From 64 KiB on both paths run at the link's rate; below that the program's small writes limit it (likely).", nil
	r.Experiments = r.Experiments[3:]
	n := 10
	for _, d := range []string{"out", "in"} {
		for _, s := range []int{1, 4, 8} {
			for k := 0; k < 12; k++ {
				n++
				size := 512 << k
				share := 1 - math.Exp(-float64(size)*float64(s)/9000)
				e := stream(n, "blocks", "nas", "pc", "nas.cx3.1--pc.cx3.1", d, s, 40e9, share*0.998, false)
				e.Settings["size"] = unit.Bytes(size).String()
				e.CPU = nil
				for i := range e.Repeats {
					e.Repeats[i].Streams, e.Repeats[i].CPU = nil, nil
				}
				e.InEffect["size"] = e.Settings["size"]
				if share < 0.95 {
					e.Verdict.Limiter, e.Verdict.Confidence, e.Verdict.Sentence = "app-limited", "likely", "The program writes too little at once."
				}
				r.Experiments = append(r.Experiments, e)
			}
		}
	}
	return r
}
