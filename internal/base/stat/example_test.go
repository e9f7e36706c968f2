package stat_test

import (
	"fmt"

	"linerate/internal/base/stat"
)

// Six repeats or more have a confidence interval. Fewer have only a range.
func ExampleSummarize() {
	repeats := []float64{9.38, 9.41, 9.40, 8.72, 9.42, 9.40} // Gb/s
	for _, n := range []int{3, 6} {
		s, err := stat.Summarize(repeats[:n])
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		fmt.Printf("%d repeats: median %.2f Gb/s, %s %.2f to %.2f Gb/s\n", s.N, s.Median, s.Interval, s.Low, s.High)
	}

	// Output:
	// 3 repeats: median 9.40 Gb/s, range 9.38 to 9.41 Gb/s
	// 6 repeats: median 9.40 Gb/s, 95% 8.72 to 9.42 Gb/s
}

// The machine drifts by 9 %. Pairs of alternating repeats still show a difference of 2 %.
func ExamplePaired() {
	before := []float64{8.60, 9.20, 8.90, 9.40, 8.70, 9.10, 9.30, 8.80} // Gb/s
	after := []float64{8.78, 9.37, 9.09, 9.57, 8.88, 9.27, 9.51, 8.96}
	paired, err := stat.Paired(before, after)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	unpaired, err := stat.Unpaired(before, after)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	for _, c := range []stat.Comparison{paired, unpaired} {
		fmt.Printf("paired %t: ratio %.3f, %s %.3f to %.3f, ", c.Paired, c.Ratio, c.Interval, c.Low, c.High)
		fmt.Println("different", c.Different())
	}

	// Output:
	// paired true: ratio 1.020, 95% 1.018 to 1.022, different true
	// paired false: ratio 1.020, 95% 0.985 to 1.057, different false
}

// Warmup finds the slices at the start of a repeat that would lower its mean.
func ExampleWarmup() {
	slices := []float64{2.1, 5.8, 9.3, 9.4, 9.4, 9.3, 9.4, 9.3, 9.4, 9.4, 9.3, 9.4} // Gb/s
	w := stat.Warmup(slices)
	fmt.Printf("without the first %d slices the mean is %.0f %% higher\n", w.Skip, 100*w.Shift)

	// Output:
	// without the first 2 slices the mean is 11 % higher
}
