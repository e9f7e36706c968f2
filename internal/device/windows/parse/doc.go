// Package parse reads what Windows prints about itself, and its configuration.
package parse
