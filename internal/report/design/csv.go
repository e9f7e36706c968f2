package design

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/report/format"
)

// The tables of a plan that can be written as CSV.
const (
	BOMTable     = "bom"
	CableTable   = "cables"
	AddressTable = "addresses"
)

// Tables returns the names of the tables that CSV writes.
func Tables() []string { return []string{BOMTable, CableTable, AddressTable} }

// CSV writes one table of a plan in the form of RFC 4180: a line of headers, commas, CR LF. Amounts and rates are in
// base units. What is not known is empty.
func CSV(w io.Writer, p *plan.Plan, table string) error {
	var all [][]string
	switch table {
	case BOMTable:
		all = bomRecords(p)
	case CableTable:
		all = cableRecords(p)
	case AddressTable:
		all = addressRecords(p)
	default:
		return fmt.Errorf("report: %q is not a table of a plan; those are %s", format.Clean(table), unit.List(Tables()))
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	for _, record := range all {
		for i := range record {
			record[i] = harmless(record[i])
		}
		if err := out.Write(record); err != nil {
			return fmt.Errorf("report: the table %s could not be written: %w", table, err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("report: the table %s could not be written: %w", table, err)
	}
	return nil
}

// harmless returns a field that a spreadsheet does not interpret as a formula: with an apostrophe before a first
// character that starts one, as OWASP advises, and without control characters.
func harmless(s string) string {
	s = format.Clean(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

func bomRecords(p *plan.Plan) [][]string {
	out := [][]string{
		{"role", "part", "count", "unit_price", "currency", "total", "price_from", "for", "part_numbers", "price_note"},
	}
	for _, i := range p.BOM.Items {
		var each, total string
		if i.UnitPrice != nil {
			each = i.UnitPrice.Number()
		}
		if i.Total != nil {
			total = i.Total.Number()
		}
		out = append(out,
			[]string{i.Role, i.Part, strconv.Itoa(i.Count), each, i.Currency, total, string(i.Origin), strings.Join(i.For, " "),
				strings.Join(i.Numbers, "; "), i.PriceNote})
	}
	return out
}

func cableRecords(p *plan.Plan) [][]string {
	out := [][]string{
		{"label", "end", "end_name", "end_address", "other_end", "other_name", "other_address", "part", "medium", "length_m",
			"bits_per_second", "vlan", "link"},
	}
	for _, c := range cableViews(p) {
		var names [2]string
		for k, e := range c.Ends {
			names[k] = cmp.Or(e.Name, e.Expected)
		}
		out = append(out,
			[]string{c.Label, c.Ends[0].ID, names[0], c.Ends[0].Address, c.Ends[1].ID, names[1], c.Ends[1].Address, c.Part,
				c.Media, c.metres, c.bits, c.vlan, c.Link})
	}
	return out
}

func addressRecords(p *plan.Plan) [][]string {
	out := [][]string{
		{"host", "port", "interface", "interface_from", "address", "prefix", "subnet", "vlan", "mtu", "link"},
	}
	vlans := map[string]int{}
	for _, l := range p.Links {
		vlans[l.Name] = l.VLAN
	}
	for _, h := range p.Hosts {
		expected := h.Expected()
		for _, port := range h.Ports {
			if !port.Address.IsValid() {
				continue
			}
			name, from, vlan := "", "", ""
			switch {
			case port.Declared:
				name, from = port.Interface, "file"
			case expected[port.ID] != "":
				name, from = expected[port.ID], "driver"
			}
			if n := vlans[port.Link]; n != 0 {
				vlan = strconv.Itoa(n)
			}
			out = append(out,
				[]string{h.Name, port.ID, name, from, port.Address.Addr().String(), strconv.Itoa(port.Address.Bits()),
					port.Address.Masked().String(), vlan, strconv.Itoa(port.MTU), port.Link})
		}
	}
	return out
}
