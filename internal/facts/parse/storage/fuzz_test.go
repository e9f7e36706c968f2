package storage

import (
	"slices"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse/parsetest"
)

func FuzzMounts(f *testing.F) {
	parsetest.Fuzz(f, "proc/mounts", parseMounts, func(t *testing.T, v []facts.Mount) {
		for _, m := range v {
			if m.Connections() < 1 || !networked(m.Kind) {
				t.Fatal(m)
			}
		}
	})
}

func FuzzCIFS(f *testing.F) {
	parsetest.Fuzz(f, "proc/fs/cifs/DebugData", parsetest.Reading(readCIFS), nil)
}

func FuzzISCSI(f *testing.F) {
	parsetest.Fuzz(f, "iscsiadm -m session", parsetest.Reading(readISCSI), nil)
}

func FuzzNVMeFiles(f *testing.F) {
	parsetest.Fuzz(f, "grep . /sys/class/nvme/nvme*/transport", parsetest.Reading(readNVMeFiles), nil)
}

func FuzzNVMeSubsystems(f *testing.F) {
	parsetest.Fuzz(f, "nvme list-subsys", parsetest.Reading(readNVMeSubsystems), nil)
}

func FuzzNVMeList(f *testing.F) { parsetest.Fuzz(f, "nvme list", parseNVMeList, nil) }

func FuzzZpoolStatus(f *testing.F) { parsetest.Fuzz(f, "zpool status", parseZpoolStatus, nil) }

func FuzzZpoolList(f *testing.F) { parsetest.Fuzz(f, "zpool list", parseZpoolList, nil) }

func FuzzDiskstats(f *testing.F) {
	parsetest.Fuzz(f, "proc/diskstats", ParseDiskstats, func(t *testing.T, v []facts.BlockCount) {
		for _, b := range v {
			if b.Name == "" || b.ReadBytes%sector != 0 {
				t.Fatal(b)
			}
		}
	})
}

func FuzzLayers(f *testing.F) {
	parsetest.Fuzz(f, LayersSource, parsetest.Reading(ReadLayers), func(t *testing.T, v *facts.Facts) {
		for _, l := range v.Storage.Layers {
			if l.Name == "" || slices.Contains(v.Below(l.Name), l.Name) {
				t.Fatal(l)
			}
		}
	})
}

func FuzzLoops(f *testing.F) { parsetest.Fuzz(f, LoopsSource, parsetest.Reading(ReadLoops), nil) }

func FuzzMdstat(f *testing.F) {
	parsetest.Fuzz(f, "proc/mdstat", parseMdstat, func(t *testing.T, v []facts.Array) {
		for _, a := range v {
			if a.Name == "" || a.Line == "" || a.Done.Or(0) < 0 || a.Done.Or(0) > 1 {
				t.Fatal(a)
			}
		}
	})
}

func FuzzLsblk(f *testing.F) { parsetest.Fuzz(f, "lsblk", parseLsblk, nil) }
