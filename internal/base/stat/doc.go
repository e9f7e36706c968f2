// Package stat says what a few repeats allow to say: the middle, and how far it
// may be off. It assumes no distribution and is pure.
package stat
