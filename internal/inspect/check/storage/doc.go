// Package storage has the checks of connections to storage: iSCSI, NVMe, SMB and pools.
package storage
