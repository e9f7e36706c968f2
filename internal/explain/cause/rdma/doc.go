// Package rdma has the causes that limit RDMA, one a file, and the counters of RDMA that they read.
package rdma
