// Package nvmetcp is both ends of NVMe over TCP: an initiator whose queues are driven by one thread each, and a small
// target. It is pure Go and works on every system; on Linux it makes its own system calls in the hot path.
//
// Formats are those of the NVM Express TCP Transport Specification 1.0 (ratified 2021; "TCP" in comments) and of the
// NVM Express Base Specification 2.0 ("Base"), with the NVM Command Set Specification 1.0 ("NVM"). All numbers on the
// wire are little endian.
//
//	Connect -> Controller -> Queue: Submit .. Flush, Wait -> completions
//	Listener, Subsystem -> Serve
//
// It has no authentication (DH-HMAC-CHAP) and no TLS, and reports an error where the other end requires them.
package nvmetcp
