// Package checks has the table of all checks.
package checks
