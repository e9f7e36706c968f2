package nvmetcp

import "fmt"

// Status is the status field of a completion without its phase tag: code in bits 7:0, type in 10:8, retry delay
// 12:11, more 13, do not retry 14 (Base, section 3.3.3.2.1). 0 is success.
type Status uint16

// Statuses that this package sends.
const (
	statusInvalidOpcode      Status = 0x001
	statusInvalidField       Status = 0x002
	statusDataTransfer       Status = 0x004
	statusInternal           Status = 0x006
	statusNamespace          Status = 0x00b
	statusSequence           Status = 0x00c
	statusSGLLength          Status = 0x00f
	statusSGLType            Status = 0x011
	statusKeepAliveInvalid   Status = 0x01a
	statusWriteProtected     Status = 0x020
	statusTransientTransport Status = 0x022
	statusRange              Status = 0x080
	statusAsyncLimit         Status = 0x105
	statusLogPage            Status = 0x109
	statusConnectBusy        Status = 0x181
	statusConnectInvalid     Status = 0x182
	statusConnectHost        Status = 0x184
	statusAuthRequired       Status = 0x191
	statusWriteFault         Status = 0x280
	statusReadError          Status = 0x281
	doNotRetry               Status = 1 << 14
	statusCode               Status = 0x7ff // code and type
)

// statusWords are the texts of Base, figures 99 to 106 ("Generic Command Status Values" and following), and of NVM,
// section 4.2.
var statusWords = map[Status]string{
	0x000: "success",
	0x001: "invalid opcode",
	0x002: "invalid field in the command",
	0x003: "command identifier conflict",
	0x004: "data transfer error",
	0x005: "aborted: power loss",
	0x006: "internal error of the target",
	0x007: "aborted as requested",
	0x008: "aborted: submission queue deleted",
	0x009: "aborted: failed fused command",
	0x00a: "aborted: missing fused command",
	0x00b: "invalid namespace or format",
	0x00c: "command sequence error",
	0x00d: "invalid SGL segment descriptor",
	0x00e: "invalid number of SGL descriptors",
	0x00f: "invalid length of SGL data",
	0x010: "invalid length of SGL metadata",
	0x011: "invalid type of SGL descriptor",
	0x012: "invalid use of controller memory buffer",
	0x013: "invalid PRP offset",
	0x014: "atomic write unit exceeded",
	0x015: "operation denied",
	0x016: "invalid SGL offset",
	0x018: "host identifier inconsistent",
	0x019: "keep alive timer expired",
	0x01a: "invalid keep alive timeout",
	0x01b: "aborted: preempt and abort",
	0x01c: "sanitize failed",
	0x01d: "sanitize in progress",
	0x01e: "invalid SGL data block granularity",
	0x01f: "command not supported for a queue in the controller memory buffer",
	0x020: "namespace is write protected",
	0x021: "command interrupted",
	0x022: "transient transport error",
	0x023: "prohibited by lockdown",
	0x024: "admin command media not ready",
	0x080: "LBA out of range",
	0x081: "capacity exceeded",
	0x082: "namespace not ready",
	0x083: "reservation conflict",
	0x084: "format in progress",
	0x085: "invalid value size",
	0x086: "invalid key size",

	0x100: "invalid completion queue",
	0x101: "invalid queue identifier",
	0x102: "invalid queue size",
	0x103: "abort command limit exceeded",
	0x105: "asynchronous event request limit exceeded",
	0x106: "invalid firmware slot",
	0x107: "invalid firmware image",
	0x108: "invalid interrupt vector",
	0x109: "invalid log page",
	0x10a: "invalid format",
	0x10b: "firmware activation needs a reset",
	0x10c: "invalid queue deletion",
	0x10d: "feature identifier not saveable",
	0x10e: "feature not changeable",
	0x10f: "feature not namespace specific",
	0x114: "overlapping range",
	0x115: "namespace has too little capacity",
	0x116: "namespace identifier unavailable",
	0x118: "namespace already attached",
	0x119: "namespace is private",
	0x11a: "namespace not attached",
	0x11d: "self-test in progress",
	0x11f: "invalid controller identifier",
	0x129: "I/O command set not supported",

	// Command specific statuses have different meanings for Connect and for reads and writes; those of Connect are in
	// Base, figure 382, those of the NVM command set also begin at 180h and are selected by Words.
	0x180: "conflicting attributes",
	0x181: "invalid protection information",
	0x182: "attempted write to a read-only range",
	0x183: "command size limit exceeded",

	0x280: "write fault",
	0x281: "unrecovered read error",
	0x282: "end-to-end guard check error",
	0x283: "end-to-end application tag check error",
	0x284: "end-to-end reference tag check error",
	0x285: "compare failure",
	0x286: "access denied",
	0x287: "deallocated or unwritten logical block",
	0x288: "end-to-end storage tag check error",

	0x300: "internal path error",
	0x301: "asymmetric access persistent loss",
	0x302: "asymmetric access inaccessible",
	0x303: "asymmetric access transition",
	0x360: "controller pathing error",
	0x370: "host pathing error",
	0x371: "command aborted by the host",
}

// connectWords are the texts of Fabrics commands (Base, section 6.2 and figure 382).
var connectWords = map[Status]string{0x180: "incompatible format of Connect", 0x181: "controller busy",
	0x182: "invalid parameters of Connect", 0x183: "restart discovery", 0x184: "this host is not allowed",
	0x185: "invalid queue type", 0x190: "restart discovery", 0x191: "authentication required"}

var statusTypes = [8]string{"generic", "command specific", "media or data integrity", "path related", "reserved type",
	"reserved type", "reserved type", "vendor specific"}

// String is the text of the specification with the number, such as "LBA out of range (status 80h)".
func (s Status) String() string { return s.words(nil) }

func (s Status) words(first map[Status]string) string {
	code := s & statusCode
	word, ok := first[code]
	if !ok {
		word, ok = statusWords[code]
	}
	if !ok {
		word = fmt.Sprintf("%s status without a name here", statusTypes[code>>8])
	}
	return fmt.Sprintf("%s (status %xh)", word, uint16(code))
}
