// Package rdma reads the tools of RDMA devices, of InfiniBand fabrics and of the firmware of NVIDIA's NICs.
package rdma
