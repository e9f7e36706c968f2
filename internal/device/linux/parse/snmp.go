package parse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// parseSNMP reads /proc/net/snmp and /proc/net/netstat: pairs of lines, first the names, then the values, both after
// "Tcp:". A counter is named "Tcp.RetransSegs". It ignores settings between them that may be negative (Tcp.MaxConn -1).
// Format: https://docs.kernel.org/networking/snmp_counter.html
func parseSNMP(text []byte) (map[string]uint64, error) {
	counters := map[string]uint64{}
	var group string
	var names []string
	for line := range strings.Lines(string(text)) {
		head, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			if head == "" {
				continue
			}
			return counters, snmpDamage(counters, "%.40q has no group (\"Tcp:\")", head)
		}
		fields := strings.Fields(rest)
		if names == nil {
			group, names = head, fields
			continue
		}
		if head != group || len(fields) != len(names) {
			return counters, snmpDamage(counters, "group %.20q has %d names and group %.20q behind it %d values", group,
				len(names), head, len(fields))
		}
		for i, name := range names {
			if v, err := strconv.ParseUint(fields[i], 10, 64); err == nil {
				counters[group+"."+name] = v
			} else if _, err := strconv.ParseInt(fields[i], 10, 64); err != nil {
				return counters, snmpDamage(counters, "%s.%.40s: %.40q is not a number", group, name, fields[i])
			}
		}
		names = nil
	}
	if names != nil {
		return counters, snmpDamage(counters, "group %.20q has names without values", group)
	}
	if len(counters) == 0 {
		return nil, errors.New("it has no counter")
	}
	return counters, nil
}

func snmpDamage(read map[string]uint64, format string, args ...any) error {
	if len(read) == 0 {
		return fmt.Errorf(format, args...)
	}
	return parse.Partial{Err: fmt.Errorf(format+"; what follows it is not read", args...)}
}

// parseSNMP6 reads /proc/net/snmp6: "Ip6InReceives 12", one counter a line.
func parseSNMP6(text []byte) (map[string]uint64, error) {
	counters := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return counters, snmpDamage(counters, "%.40q is not a name and value", facts.OneLine(line))
		}
		v, err := strconv.ParseUint(fields[1], 10, 64)
		if err != nil {
			return counters, snmpDamage(counters, "%.40s: %.40q is not a counter", fields[0], fields[1])
		}
		counters[fields[0]] = v
	}
	if len(counters) == 0 {
		return nil, errors.New("it has no counter")
	}
	return counters, nil
}
