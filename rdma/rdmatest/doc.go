// Package rdmatest drives two ends of linerate-verbs as docs/design/rdma.md describes it, and two guests of a lab to do it in.
// Tests and benchmarks use it.
package rdmatest
