package catalog

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Bus is the bus of a drive or NIC. Gen and Lanes are 0 if unknown.
type Bus struct {
	Type  string `json:"type"` // pcie, sas, sata, nvdimm
	Gen   int    `json:"gen,omitempty"`
	Lanes int    `json:"lanes,omitempty"`
}

var busForm = regexp.MustCompile(`^(pcie|nvme|sas|sata|nvdimm)(?:([1-9])(?:\.0)?)?(?:x([1-9]\d?))?$`)

// ParseBus reads "pcie3x8", "pcie 4.0 x16", "sas3x4", "sata3", "sas" or "nvdimm". NVMe is PCIe.
func ParseBus(s string) (Bus, error) {
	compact := strings.ToLower(strings.Join(strings.Fields(s), ""))
	m := busForm.FindStringSubmatch(compact)
	if m == nil {
		return Bus{}, fmt.Errorf("%q is not a bus; write it as pcie3x8, sas3x4, sata3 or nvdimm", s)
	}
	b := Bus{Type: m[1]}
	if b.Type == "nvme" {
		b.Type = "pcie"
	}
	b.Gen, _ = strconv.Atoi(m[2]) // both match only digits or nothing: 0
	b.Lanes, _ = strconv.Atoi(m[3])
	newest := map[string]int{"pcie": 7, "sas": 4, "sata": 3}[b.Type]
	switch {
	case b.Type == "nvdimm" && (b.Gen != 0 || b.Lanes != 0):
		return Bus{}, fmt.Errorf("%q: an NVDIMM has neither generation nor lanes; write nvdimm", s)
	case b.Gen > newest:
		return Bus{}, fmt.Errorf("%q: the newest %s is generation %d", s, strings.ToUpper(b.Type), newest)
	case b.Lanes > 16 || b.Type == "pcie" && b.Lanes&(b.Lanes-1) != 0:
		return Bus{}, fmt.Errorf("%q: there is no x%d; lanes are 1, 2, 4, 8 or 16", s, b.Lanes)
	}
	return b, nil
}

// String returns the bus as a fabric file writes it: "pcie3x8".
func (b Bus) String() string {
	s := b.Type
	if b.Gen > 0 {
		s += strconv.Itoa(b.Gen)
	}
	if b.Lanes > 0 {
		s += "x" + strconv.Itoa(b.Lanes)
	}
	return s
}

// PCIe returns the bus as a PCI Express link, if it is one and both numbers are known.
func (b Bus) PCIe() *PCIe {
	if b.Type != "pcie" || b.Gen == 0 || b.Lanes == 0 {
		return nil
	}
	return &PCIe{Gen: b.Gen, Lanes: b.Lanes}
}
