// Package read makes facts of a snapshot. It has the table over the parsers of all tools and device families.
package read
