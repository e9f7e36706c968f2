// Package parse reads what Cumulus Linux prints about itself, and its configuration.
package parse
