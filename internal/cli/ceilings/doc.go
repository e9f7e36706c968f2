// Package ceilings computes ceilings from flags or from a fabric file, and compares figures of other tools with them.
package ceilings
