// Package remote is the far side of a measurement, whatever the method: ends with their agents, the time of their
// start, what is read meanwhile, their samples, and the CPU use of their hosts. It knows no plan.
package remote
