// Package inspect prints the facts of machines and what the checks find in them.
package inspect
