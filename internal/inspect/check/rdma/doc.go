// Package rdma has the checks of RDMA and InfiniBand.
package rdma
