// Package unit holds the quantities that linerate computes with, each as a type. They are parsed on entry, kept in base
// units (bits per second, bytes, seconds), and scaled only when printed.
package unit
