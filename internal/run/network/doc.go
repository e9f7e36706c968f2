// Package network measures the network between hosts: throughput, latency and RDMA of a pair, streams among several
// hosts at once, the acceptance of links, and what a lossless class loses.
package network
