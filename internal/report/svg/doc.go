// Package svg draws the elements of all drawings in reports: lines, text of known width, and scales.
package svg
