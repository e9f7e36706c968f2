package ceiling

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// PCIe is the negotiated link of a slot or device.
type PCIe struct {
	Generation int // 1 to 5: 2.5, 5, 8, 16 and 32 GT/s a lane
	Lanes      int // 1, 2, 4, 8, 12, 16 or 32
	Payload    int // MaxPayload in bytes: 128, 256, 512, 1024, 2048 or 4096
}

// Sizes in bytes of transaction layer packets with their framing, sequence number and check (PCI Express Base
// Specification 3.1, chapters 2 to 4): a write or read request with a 64-bit address takes 24 next to its data, a
// completion 20.
const (
	writeOverhead      = 24
	completionOverhead = 20
	readRequest        = 24
	readRequestSize    = 512 // the largest MaxReadReq of devices by default
	layerMessage       = 8   // an acknowledgement or flow control update (DLLP)
	skipEvery          = 1538
	skipSize           = 4
	tlpOverhead        = 28 // that the specification includes in its acknowledgement interval
)

type generation struct {
	gt       float64 // transfers per second and lane
	code     [2]int  // data bits per transferred bits
	internal int     // symbol times between receipt and response
}

var generations = [...]generation{
	1: {2.5e9, [2]int{8, 10}, 19},
	2: {5e9, [2]int{8, 10}, 70},
	3: {8e9, [2]int{128, 130}, 115},
	4: {16e9, [2]int{128, 130}, 115},
	5: {32e9, [2]int{128, 130}, 115},
}

// ackFactor is the specification's AckFactor: how many full packets one acknowledgement may cover, by width and
// MaxPayload.
func ackFactor(lanes, payload int) float64 {
	small := payload <= 256
	switch {
	case lanes <= 4 && small:
		return 1.4
	case lanes == 8 && small:
		return 2.5
	case lanes >= 12 && small:
		return 3
	case lanes >= 12:
		return 2
	}
	return 1
}

func (p PCIe) check() error {
	if p.Generation < 1 || p.Generation >= len(generations) {
		return diag.Advise(fmt.Errorf("linerate has no formula for PCIe generation %d", p.Generation),
			"write the slot as 3.0x8").Note("1.x to 5.0 have one (6.0 sends packets in units of another form)")
	}
	switch p.Lanes {
	case 1, 2, 4, 8, 12, 16, 32:
	default:
		return diag.Advise(fmt.Errorf("PCIe has no width of %d lanes", p.Lanes)).
			Note("its specification has 1, 2, 4, 8, 12, 16 and 32")
	}
	return nil
}

func (p PCIe) checkPayload() error {
	switch p.Payload {
	case 128, 256, 512, 1024, 2048, 4096:
		return p.check()
	}
	return diag.Advise(
		fmt.Errorf("MaxPayload of %d bytes is none of PCIe's: 128, 256, 512, 1024, 2048 or 4096", p.Payload)).
		Note("lspci -vv shows it, 256 is usual")
}

// interval returns the most symbol times between two acknowledgements, and between two flow control updates. The
// specification's tables of both are this formula, truncated to whole symbols.
func (p PCIe) interval() float64 {
	g := generations[p.Generation]
	return math.Trunc(float64(p.Payload+tlpOverhead)*ackFactor(p.Lanes, p.Payload)/float64(p.Lanes)) + float64(g.internal)
}

func (p PCIe) raw() float64 {
	g := generations[p.Generation]
	return g.gt * float64(p.Lanes) * float64(g.code[0]) / float64(g.code[1])
}

func (p PCIe) tlp() float64 {
	return p.raw() * (1 - 2*layerMessage/p.interval() - skipSize/float64(skipEvery))
}

func (p PCIe) inputs() []record.Input {
	g := generations[p.Generation]
	in := []record.Input{declared("transfers", g.gt), declared("lanes", float64(p.Lanes))}
	if p.Payload > 0 {
		in = append(in, declared("payload", float64(p.Payload)), assumed("symbols", p.interval()))
	}
	return in
}

func (p PCIe) rawFormula() string {
	c := generations[p.Generation].code
	return fmt.Sprintf("transfers * lanes * %d / %d", c[0], c[1])
}

// PCIeRaw is the rate of the lanes after line coding (8b/10b up to generation 2, 128b/130b from 3 on): transfers *
// lanes * code.
func PCIeRaw(p PCIe) (Ceiling, error) {
	if err := p.check(); err != nil {
		return Ceiling{}, err
	}
	p.Payload = 0
	return made(p.raw(), p.rawFormula(), p.inputs()...)
}

// KernelRate is what Linux prints in "63.008 Gb/s available PCIe bandwidth": whole Mb/s of one lane, truncated, times
// the lanes (drivers/pci/pci.h, PCIE_SPEED2MBS_ENC).
func KernelRate(p PCIe) (unit.BitRate, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	p.Payload = 0
	lane := PCIe{Generation: p.Generation, Lanes: 1}
	return unit.BitRate(math.Trunc(lane.raw()/1e6+1e-6) * 1e6 * float64(p.Lanes)), nil
}

// PCIeTLP is the rate of transaction layer packets, headers included:
//
//	raw * (1 - 8/FC - 8/ACK - 4/1538)
//
// FC and ACK are the symbol times between two flow control updates and two acknowledgements of 8 bytes each, by the
// specification's tables: (MaxPayload + 28) * AckFactor / lanes + 19, 70 or 115. Source of this and the three below: R.
// Neugebauer et al., Understanding PCIe performance for end host networking (SIGCOMM 2018), section 3, and its model.
func PCIeTLP(p PCIe) (Ceiling, error) {
	if err := p.checkPayload(); err != nil {
		return Ceiling{}, err
	}
	return made(p.tlp(), tlpFormula(p), p.inputs()...)
}

func tlpFormula(p PCIe) string {
	return p.rawFormula() + " * (1 - 8 / symbols - 8 / symbols - 4 / 1538)"
}

// PCIeWrite is the most data that a device writes to memory (received traffic): TLP * MPS / (MPS + 24).
func PCIeWrite(p PCIe) (Ceiling, error) { return p.share(writeOverhead) }

// PCIeRead is the most data that a device reads from memory (sent traffic), in completions of MaxPayload: TLP * MPS /
// (MPS + 20). Descriptors, doorbells and interrupts are not included.
func PCIeRead(p PCIe) (Ceiling, error) { return p.share(completionOverhead) }

func (p PCIe) share(overhead int) (Ceiling, error) {
	if err := p.checkPayload(); err != nil {
		return Ceiling{}, err
	}
	return made(p.tlp()*float64(p.Payload)/float64(p.Payload+overhead),
		tlpFormula(p)+" * payload / (payload + "+strconv.Itoa(overhead)+")", p.inputs()...)
}

// PCIeBothWays is the most data in EACH direction when a device writes and reads at once. Writes share their direction
// with read requests, one of 24 bytes for every 512 bytes: TLP / ((MPS + 24) / MPS + 24 / 512).
func PCIeBothWays(p PCIe) (Ceiling, error) {
	if err := p.checkPayload(); err != nil {
		return Ceiling{}, err
	}
	perByte := float64(p.Payload+writeOverhead)/float64(p.Payload) + float64(readRequest)/readRequestSize
	return made(p.tlp()/perByte, tlpFormula(p)+" / ((payload + 24) / payload + 24 / read_request)",
		append(p.inputs(), assumed("read_request", readRequestSize))...)
}

var slotForm = regexp.MustCompile(`^(?:pcie)?([1-9])(?:\.[01])?x(\d{1,2})$`)

// ParsePCIe reads a slot, "pcie3x8" or "3.0x8". payload is the MaxPayload in bytes.
func ParsePCIe(slot string, payload int) (PCIe, error) {
	m := slotForm.FindStringSubmatch(slot)
	if m == nil {
		return PCIe{}, diag.Advise(fmt.Errorf("%.40q is not a PCIe slot", slot),
			"write pcie3x8 or 3.0x8: generation and lanes")
	}
	g, _ := strconv.Atoi(m[1])
	lanes, _ := strconv.Atoi(m[2])
	p := PCIe{Generation: g, Lanes: lanes, Payload: payload}
	return p, p.checkPayload()
}
