// Package guide writes the README of the whole rendered folder: the order of the work, from labels to the test of each link, how
// the house's network stays apart, and what each link is to carry.
package guide
