package pci

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
)

// PayloadRegisters are, in setpci's words, the registers of a PCI Express device with the largest packet that it
// supports and may send: Device Capabilities and Device Control.
const PayloadRegisters = "CAP_EXP+4.l CAP_EXP+8.w"

// readPayload reads "setpci -s 0000:41:00.0 CAP_EXP+4.l CAP_EXP+8.w", one register a line in hexadecimal digits:
//
//	10008fe2
//	2910
//
// The lowest three bits of the first, and bits 5 to 7 of the second, are 0 for 128 bytes, 1 for 256, up to 5 for 4096.
// Format: setpci(8); PCI Express Base Specification 3.1, 7.8.3 and 7.8.4 (linux/pci_regs.h: PCI_EXP_DEVCAP_PAYLOAD,
// PCI_EXP_DEVCTL_PAYLOAD).
func readPayload(f *parse.Builder, args []string, text []byte) error {
	words := strings.Fields(string(text))
	if !Address.MatchString(args[0]) {
		return fmt.Errorf("%.40q is not an address on the bus", args[0])
	}
	if len(words) != 2 || len(words[0]) != 8 || len(words[1]) != 4 {
		return parse.ToolError(text)
	}
	can, err := strconv.ParseUint(words[0], 16, 32)
	set, err2 := strconv.ParseUint(words[1], 16, 16)
	if err != nil || err2 != nil {
		return fmt.Errorf("%.20q is not a register", strings.Join(words, " "))
	}
	most, now := can&7, set>>5&7
	if most > 5 || now > 5 || can == 0xffffffff { // reserved, or a device that does not answer
		return fmt.Errorf("%s is not a size of packets", strings.Join(words, " "))
	}
	d := f.PCIDevice(args[0])
	d.MaxPayload, d.Payload = unit.Known(128<<most), unit.Known(128<<now)
	return nil
}

// PayloadOf prints the registers of a device's configuration space in setpci's form.
func PayloadOf(space []byte) ([]byte, error) {
	const (
		status, hasList = 0x06, 0x10
		first           = 0x34
		express         = 0x10 // the id of the PCI Express capability
	)
	if len(space) < 64 {
		return nil, errors.New("the configuration space is cut off")
	}
	if space[status]&hasList == 0 {
		return nil, errors.New("the device has no list of capabilities: it is none of PCI Express")
	}
	for at, n := int(space[first])&^3, 0; at >= 64 && n < 48; n++ {
		if at+10 > len(space) {
			return nil, errors.New("only root may read so far into the configuration space")
		}
		if space[at] == express {
			return fmt.Appendf(nil, "%08x\n%04x\n", binary.LittleEndian.Uint32(space[at+4:]),
				binary.LittleEndian.Uint16(space[at+8:])), nil
		}
		at = int(space[at+1]) &^ 3
	}
	return nil, errors.New("the device has no capability of PCI Express")
}
