// Package machine converts the facts of one machine for the report: its adapters, their ports, and the maximum speed of
// each with its bottleneck.
package machine
