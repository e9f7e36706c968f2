// Package ceiling computes what one component allows, as pure formulas over numbers, each with its source.
package ceiling
