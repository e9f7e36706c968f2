// Package fault makes one thing wrong in a lab on purpose, so that a verdict can be held against what is true.
//
// A fault is one file and one line in the table: what it breaks, the parameters with their ranges, how it is made and unmade, and the id
// of the cause that a verdict should name. It is made as a person would make it, by the system's own commands in the hosts and switches of
// the lab, and unmade by the commands that it notes while it is made. The package knows causes by their ids alone and imports nothing that
// judges, so that nothing of a fault can pass to a verdict but what it does to the lab.
package fault
