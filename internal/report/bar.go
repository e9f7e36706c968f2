package report

import "strings"

// eighths are the parts of a cell that a bar can fill, from none to seven eighths.
var eighths = [8]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// bar draws share of the ceiling in n cells; the line behind them is the ceiling.
// A share above 1 fills the bar: the figure beside it says how far it is above.
func bar(share float64, n int, plain bool) string {
	share = min(max(share, 0), 1)
	if share != share {
		share = 0
	}
	if plain {
		full := int(share*float64(n) + 0.5)
		return strings.Repeat("#", full) + strings.Repeat(".", n-full) + "|"
	}
	steps := int(share*float64(n*8) + 0.5)
	s := strings.Repeat("█", steps/8) + eighths[steps%8]
	return pad(s, n) + "│"
}
