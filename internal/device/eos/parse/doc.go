// Package parse reads what Arista EOS prints about itself, and its configuration.
package parse
