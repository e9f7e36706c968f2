// Package report prints what a run measured, and what a plan is: for the terminal, as one self-contained HTML page, and
// as JSON. All of them are made from the same values by the same functions, so that a figure has one name, one unit and
// one rounding everywhere.
package report
