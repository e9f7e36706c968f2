// Package quick measures between two machines without a fabric file and prints the summary.
package quick
