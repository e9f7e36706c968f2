// Package format formats values and texts of a record for reports: rates, counts, lists, and text that is safe to
// print.
package format
