package report

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// The certificate says which sensor came nearest to its own limit, and what is not known of the heat.
func TestHeatText(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	end := func(heat ...record.AcceptanceHeat) []record.AcceptanceEnd {
		return []record.AcceptanceEnd{{Host: "a"}, {Host: "b", Heat: heat}}
	}
	card := record.AcceptanceHeat{Sensor: "temperature of the card (asic)", Now: [3]*float64{at(60), at(98), at(97)}, Limit: at(105)}
	module := record.AcceptanceHeat{Sensor: "temperature of the module", Now: [3]*float64{at(41), nil, at(69)}, Limit: at(75)}
	bare := record.AcceptanceHeat{Sensor: "temperature of the card (temp1)", Now: [3]*float64{at(90), at(91), at(92)}}
	for want, ends := range map[string][]record.AcceptanceEnd{
		"No temperature was read":                                                                                             end(),
		"Of 1 sensor of temperature none names its own limit.":                                                                end(bare),
		"nearest to it was b: temperature of the module: 69 °C, its own limit is 75 °C.":                                      end(bare, card, module),
		"Of 1 sensor of temperature that name their own limit the nearest to it was b: temperature of the card (asic): 98 °C": end(card),
	} {
		if got := heatText(ends); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
