package record

import (
	"strings"

	"linerate/internal/base/unit"
)

// FigureText is a value in the unit of the experiment's figure, as people read it.
func (e *Experiment) FigureText(v float64) string {
	switch e.FigureUnit {
	case "s":
		return unit.Seconds(v)
	case "bit/s":
		return unit.BitRate(v).String()
	}
	return strings.TrimSpace(unit.Significant(v) + " " + e.FigureUnit)
}
