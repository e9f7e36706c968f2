// Package parse reads what SONiC prints about itself, and its configuration.
package parse
