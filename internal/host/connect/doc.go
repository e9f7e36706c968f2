// Package connect runs commands on a host, moves files to it and starts an agent there.
//
// A Connection is anything that can start a process on a host: this machine, a network namespace of it, the system's
// ssh, a host of the lab, a job step of Slurm, a container behind kubectl. All of them pass one contract suite (package
// connecttest): exit codes, both output streams, cancelling, large transfers, a host that dies, hostile arguments.
package connect
