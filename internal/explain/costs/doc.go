// Package costs fits what a packet, a call and a byte cost a CPU over the experiments of a run.
package costs
