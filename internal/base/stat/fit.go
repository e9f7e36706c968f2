package stat

import (
	"errors"
	"fmt"
	"math"
)

// ErrInseparable is the error of a fit whose columns are too nearly multiples of each other to be separated.
var ErrInseparable = errors.New("the columns vary together, so their parts cannot be told apart")

// tolerance is the least share of a column's length that the other columns must leave unexplained. Below 2 % an error
// of 1 % in a value moves a coefficient by about 10 %: two packet sizes must differ by a third.
const tolerance = 0.02

// Fit finds the coefficients c for which the sum over all columns of c x column is nearest to y, one row a measurement,
// without a constant term. It minimises the sum of (fitted/y - 1)^2, because disturbances of a CPU time are factors.
// Worst is the largest |fitted/y - 1|. Every y and some value of every column must be above 0. With fewer rows than
// columns, or columns that vary together, the error is ErrInseparable.
func Fit(rows [][]float64, y []float64) (c []float64, worst float64, err error) {
	if len(rows) == 0 {
		return nil, 0, ErrEmpty
	}
	k := len(rows[0])
	if len(rows) != len(y) || k == 0 {
		return nil, 0, fmt.Errorf("%d rows of %d columns next to %d values are not fit", len(rows), k, len(y))
	}
	scaled := make([][]float64, len(rows))
	for i, row := range rows {
		if len(row) != k {
			return nil, 0, fmt.Errorf("row %d has %d columns, the first %d", i+1, len(row), k)
		}
		if !(y[i] > 0) || math.IsInf(y[i], 1) {
			return nil, 0, fmt.Errorf("value %d is %v: shares need values above 0", i+1, y[i])
		}
		scaled[i] = make([]float64, k)
		for j, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, 0, fmt.Errorf("row %d, column %d is %v", i+1, j+1, x)
			}
			scaled[i][j] = x / y[i]
		}
	}
	length := make([]float64, k) // columns have different units: all are scaled to length 1
	for j := range k {
		for i := range scaled {
			length[j] = math.Hypot(length[j], scaled[i][j])
		}
		if length[j] == 0 {
			return nil, 0, fmt.Errorf("column %d is 0 throughout: %w", j+1, ErrInseparable)
		}
		for i := range scaled {
			scaled[i][j] /= length[j]
		}
	}
	c, err = orthogonal(scaled, k)
	if err != nil {
		return nil, 0, err
	}
	for i := range scaled {
		fitted := 0.0
		for j := range k {
			fitted += c[j] * scaled[i][j]
		}
		worst = max(worst, math.Abs(fitted-1))
	}
	for j := range c {
		c[j] /= length[j]
	}
	return c, worst, nil
}

// orthogonal solves for a right side of ones by modified Gram-Schmidt, once with each column last: the remainder of
// that column is its tolerance, and its coefficient is the right side's part along the remainder.
func orthogonal(a [][]float64, k int) ([]float64, error) {
	c := make([]float64, k)
	for last := range k {
		var basis [][]float64
		for step := range k {
			j := (last + 1 + step) % k
			v := make([]float64, len(a))
			for i := range a {
				v[i] = a[i][j]
			}
			for _, b := range basis {
				part := dot(v, b)
				for i := range v {
					v[i] -= part * b[i]
				}
			}
			left := math.Sqrt(dot(v, v))
			if left*left < tolerance {
				return nil, ErrInseparable
			}
			if step == k-1 {
				sum := 0.0
				for _, x := range v {
					sum += x
				}
				c[j] = sum / (left * left)
				break
			}
			for i := range v {
				v[i] /= left
			}
			basis = append(basis, v)
		}
	}
	return c, nil
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
