// Package plan makes a fabric concrete: every port, cable and label, every address, the bill of materials, every
// device's settings. It is pure: no network, no clock, no files.
package plan
