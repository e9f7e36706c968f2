package agent

import (
	"encoding/json"
	"math"
	"strconv"

	"linerate/internal/traffic"
)

// samples is the body of a frame of readings.
type samples struct {
	Samples []traffic.Sample `json:"samples"`
}

// append writes s as JSON behind b: by hand, because it runs beside a measurement. A value that is no
// number is left out, as nobody could read it.
func (s samples) append(b []byte) []byte {
	b = append(b, `{"samples":[`...)
	first := true
	for _, r := range s.Samples {
		if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = strconv.AppendInt(append(b, `{"stream":`...), int64(r.Stream), 10)
		b = strconv.AppendInt(append(b, `,"time_ns":`...), r.TimeNS, 10)
		b = appendText(append(b, `,"metric":`...), r.Metric)
		b = strconv.AppendFloat(append(b, `,"value":`...), r.Value, 'g', -1, 64)
		b = appendText(append(b, `,"unit":`...), r.Unit)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// appendText writes a text as JSON behind b.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(text)
			if err != nil { // a text always has a form
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
