package block

import (
	"bytes"
	"fmt"
	"io"
)

// signature identifies a table, a file system or a member of a volume on a device: these bytes at this offset, from the
// end if it is negative.
type signature struct {
	name string
	at   int64
	is   string
}

// known are the offsets from the formats' own documents and libblkid.
var known = []signature{
	{"a GPT partition table", 512, "EFI PART"},
	{"a GPT partition table (4 KiB sectors)", 4096, "EFI PART"},
	{"a copy of a GPT partition table", -512, "EFI PART"},
	{"ext2, ext3 or ext4", 1024 + 56, "\x53\xef"},
	{"XFS", 0, "XFSB"},
	{"Btrfs", 65536 + 64, "_BHRfS_M"},
	{"F2FS", 1024, "\x10\x20\xf5\xf2"},
	{"NTFS", 3, "NTFS    "},
	{"exFAT", 3, "EXFAT   "},
	{"ReFS", 3, "ReFS\x00\x00\x00\x00"},
	{"FAT32", 82, "FAT32   "},
	{"FAT16", 54, "FAT16   "},
	{"FAT12", 54, "FAT12   "},
	{"swap space", 4096 - 10, "SWAPSPACE2"},
	{"LUKS", 0, "LUKS\xba\xbe"},
	{"a physical volume of LVM", 512, "LABELONE"},
	{"a physical volume of LVM", 0, "LABELONE"},
	{"a member of md", 4096, "\xfc\x4e\x2b\xa9"},
	{"a member of md", 0, "\xfc\x4e\x2b\xa9"},
	{"bcache", 4096 + 24, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf7\x7f\x48\xba\x6d\x81"},
	{"BitLocker", 3, "-FVE-FS-"},
	{"ISO 9660", 32769, "CD001"},
	{"UFS", 65536 + 1372, "\x19\x01\x54\x19"},
	{"squashfs", 0, "hsqs"},
	{"EROFS", 1024, "\xe2\xe1\xf5\xe0"},
	{"APFS", 32, "NXSB"},
	{"Ceph's BlueStore", 0, "bluestore block device"},
	{"a VMFS volume", 0x100000, "\x0d\xd0\x01\xc0"},
	{"Storage Spaces", 4096, "SPACEDB "},
}

// zfs uberblocks lie in the second half of each of the four labels; the first two labels begin at 0 and at 256 KiB.
var zfsMagic = [][]byte{[]byte("\x0c\xb1\xba\x00\x00\x00\x00\x00"), []byte("\x00\x00\x00\x00\x00\xba\xb1\x0c")}

// signatures names what is found on a device of this size. Unreadable parts are named, too: they may hold something.
func signatures(r io.ReaderAt, size int64) []string {
	var out []string
	read := func(at, n int64) []byte {
		if at < 0 {
			at += size
		}
		if at < 0 || at+n > size {
			return nil
		}
		b := make([]byte, n)
		if _, err := r.ReadAt(b, at); err != nil {
			out = appendText(out, fmt.Sprintf("what is at offset %d could not be read (%v)", at, err))
			return nil
		}
		return b
	}
	for _, k := range known {
		if b := read(k.at, int64(len(k.is))); b != nil && string(b) == k.is {
			out = appendText(out, k.name)
		}
	}
	// A boot sector of a file system ends with the same two bytes as a partition table; but only a table has entries.
	if b := read(0, 512); b != nil && b[510] == 0x55 && b[511] == 0xaa && len(out) == 0 {
		out = appendText(out, "a boot sector or an MBR partition table")
	}
	for _, label := range []int64{0, 256 << 10} {
		for at := label + 128<<10; at < label+256<<10; at += 1 << 10 {
			b := read(at, 8)
			if b == nil {
				break
			}
			if bytes.Equal(b, zfsMagic[0]) || bytes.Equal(b, zfsMagic[1]) {
				out = appendText(out, "a member of a ZFS pool")
				break
			}
		}
	}
	// md's formats 0.90 and 1.0 are at the end.
	for _, at := range []int64{size&^65535 - 65536, (size/512 - 16) &^ 7 * 512} {
		if b := read(at, 4); at > 0 && b != nil &&
			(string(b) == "\xfc\x4e\x2b\xa9" || string(b) == "\xa9\x2b\x4e\xfc") {
			out = appendText(out, "a member of md")
		}
	}
	return out
}

func appendText(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}
