// Package claims reads the figures in the output of other tools.
package claims
