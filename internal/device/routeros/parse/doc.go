// Package parse reads what RouterOS prints about itself, and its configuration.
package parse
