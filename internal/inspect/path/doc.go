// Package path chains the ceilings of every component that traffic passes, in one direction, and finds the lowest.
package path
