// Package rdmatest drives two ends of linerate-verbs as docs/design/rdma.md describes, and two guests of a lab for
// them. Tests and benchmarks use it.
package rdmatest
