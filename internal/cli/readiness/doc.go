// Package readiness collects from hosts what package doctor judges: programs, clocks, free space, and the parts of lab
// guests.
package readiness
