package parse

import (
	"testing"
)

// TestHeatLimit: an impossible limit is unknown, so the sensor is neither hot nor cool.
func TestHeatLimit(t *testing.T) {
	for degrees, ok := range map[float64]bool{105: true, 0: false, -273.15: false, 65261.85: false, 199: true} {
		if _, known := heatLimit(degrees).Get(); known != ok {
			t.Errorf("%g degrees: known %v", degrees, known)
		}
	}
}
