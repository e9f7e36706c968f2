// Package tables has the tables of each method of a run: round trips, RDMA, halo exchanges, storage,
// commands, copies, acceptances.
package tables
