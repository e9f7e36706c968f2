package unit

import (
	"fmt"
	"math"
)

// Scale writes a lab's scale as people say it: "1/10"; one that is no such fraction as it is: "0.3".
func Scale(scale float64) string {
	if n := math.Round(1 / scale); scale > 0 && scale <= 1 && math.Abs(n*scale-1) < 1e-9 {
		return fmt.Sprintf("1/%.0f", n)
	}
	return fmt.Sprintf("%g", scale)
}
