// Package stat computes what a few repeats show: the median, and how far it may be off. It assumes no distribution and
// is pure.
package stat
