package read

import (
	"testing"
)

func TestMachine(t *testing.T) {
	for _, c := range []struct{ name, text, vendor, product, board string }{
		{"a server", "/sys/class/dmi/id/sys_vendor:Supermicro\n/sys/class/dmi/id/product_name:X10SRi-F\n" +
			"/sys/class/dmi/id/board_vendor:Supermicro\n/sys/class/dmi/id/board_name:X10SRi-F\n",
			"Supermicro", "X10SRi-F", "Supermicro X10SRi-F"},
		{"nobody filled it in", "/sys/class/dmi/id/sys_vendor:To Be Filled By " +
			"O.E.M.\n/sys/class/dmi/id/product_name:System Product Name\n/sys/class/dmi/id/board_vendor:ASUSTeK COMPUTER " +
			"INC.\n/sys/class/dmi/id/board_name:ROG STRIX B450-F\n",
			"?", "?", "ASUSTeK COMPUTER INC. ROG STRIX B450-F"},
		{"a vendor alone", "/sys/class/dmi/id/sys_vendor:QEMU\n/sys/class/dmi/id/board_vendor:\n", "QEMU", "?", "?"},
	} {
		f, err := Parse([]byte("os linux\n-- grep -r . /sys/class/dmi/id --\n" + c.text))
		if err != nil || len(f.Unknown) > 0 {
			t.Fatal(c.name, err, f.Unknown)
		}
		m := f.Machine
		if m.Vendor.Or("?") != c.vendor || m.Product.Or("?") != c.product || m.Board.Or("?") != c.board {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
	f, err := Parse([]byte("os linux\nunknown grep -r . /sys/class/dmi/id: it is not there\n-- proc/device-tree/model " +
		"--\nRaspberry Pi 4 Model B Rev 1.1\n"))
	if err != nil || f.Machine.Vendor.Why() != "it is not there" ||
		f.Machine.Product.Or("") != "Raspberry Pi 4 Model B Rev 1.1" {
		t.Errorf("%v %+v", err, f.Machine)
	}
}
