package run

import (
	"strconv"
	"time"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// Acceptance is the method that tests a link and the cards at its ends: streams both ways, as long as it takes to bound the
// rate of bit errors, and what both ends say of themselves before, meanwhile and behind.
const Acceptance = record.MethodAcceptance

// What an acceptance does where nobody says.
const (
	acceptanceStreams = "4"
	acceptanceUnknown = 5 * time.Minute // of a link whose rate is not known
	// filled is the part of a link's rate that the streams are reckoned to carry at least.
	filled = 0.9
)

// wire is what both ends run for a method.
func wire(method string) string {
	if method == Acceptance || method == Proof {
		return "stream"
	}
	return method
}

// accepts fills in what an acceptance does where its file does not say.
func (c *Cell) accepts(settings map[string]string, e *fabric.Experiment, o Options) {
	for key, value := range map[string]string{"direction": "both", "streams": acceptanceStreams} {
		if settings[key] == "" {
			settings[key] = value
		}
	}
	if o.Repeats == 0 && e.Repeats == 0 {
		c.Repeat = 1
	}
	c.Samples = 1
	if c.Window == "" {
		c.Window = strconv.FormatFloat(longEnough(settings, c.Path.Speed()).Seconds(), 'f', 1, 64) + "s"
	}
}

// longEnough is how long a link has to be filled in one direction until its rate of bit errors is bounded, if none comes.
func longEnough(settings map[string]string, speed unit.BitRate) time.Duration {
	if speed <= 0 {
		return acceptanceUnknown
	}
	wanted, err := strconv.ParseFloat(settings["bit_error_rate"], 64)
	if err != nil || wanted <= 0 {
		wanted = record.DefaultBitErrorRate
	}
	bits := stat.PoissonUpper(0, record.AcceptanceConfidence) / wanted
	return max(10*time.Second, min(24*time.Hour-time.Minute, time.Duration(bits/(float64(speed)*filled)*1e9)))
}
