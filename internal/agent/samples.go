package agent

import (
	"encoding/json"
	"math"
	"strconv"

	"linerate/internal/traffic"
)

// samples is the body of a frame of samples.
type samples struct {
	Samples []traffic.Sample `json:"samples"`
}

// append appends s to b as JSON. Package encoding/json would take more CPU time from the measurement that runs at the
// same time. A value that is not a number is omitted: JSON has no form for it.
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

// appendText appends a text to b as JSON.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(text)
			if err != nil { // not of a text
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// sampleReader passes the samples of a request on, up to the limit.
type sampleReader struct {
	on   func([]traffic.Sample) // may be nil
	rows int64
}

func (r *sampleReader) read(f frame) error {
	var s samples
	if err := decode(f.Body, &s); err != nil {
		return err
	}
	most := limits().samples
	if r.rows += int64(len(s.Samples)); r.rows <= most.max && r.on != nil {
		r.on(s.Samples)
	}
	return most.check(r.rows)
}
