// Package parse reads what Linux prints about itself, and its configuration.
package parse
