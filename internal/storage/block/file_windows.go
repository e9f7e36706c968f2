package block

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"

	"linerate/internal/base/unit"
)

// flags are those of CreateFile.
func (a access) flags() uint32 {
	f := uint32(windows.FILE_ATTRIBUTE_NORMAL)
	if a.direct {
		f |= windows.FILE_FLAG_NO_BUFFERING
	}
	if a.sync {
		f |= windows.FILE_FLAG_WRITE_THROUGH
	}
	return f
}

func create(path string, a access, more uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return windows.InvalidHandle, err
	}
	mode := uint32(windows.GENERIC_READ)
	if a.write {
		mode |= windows.GENERIC_WRITE
	}
	h, err := windows.CreateFile(name, mode, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, a.flags()|more, 0)
	if err != nil {
		return h, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return h, nil
}

// openDirect opens a file, bypassing the cache if a asks for it.
func openDirect(path string, a access) (f *os.File, why string, err error) {
	h, err := create(path, a, 0)
	if err != nil {
		return nil, "", err
	}
	return os.NewFile(uintptr(h), path), "", nil
}

func reserve(*os.File, int64) error { return nil } // laying out reports

// buffers allocates memory outside of Go's heap that begins at a page.
func buffers(n int) ([]byte, func(), error) {
	at, err := windows.VirtualAlloc(0, uintptr(max(n, 1)), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, nil, fmt.Errorf("%v of memory for buffers: %w; lower depth, threads or the block", unit.Bytes(n), err)
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&at)) // the garbage collector does not know this memory
	return unsafe.Slice((*byte)(p), n), func() { _ = windows.VirtualFree(at, 0, windows.MEM_RELEASE) }, nil
}

// where fills in the file system of an open file, and the drive or share that it lies on.
func where(f *os.File, r *Ready) {
	if r.Kind == KindDevice {
		return
	}
	var kind [64]uint16
	if windows.GetVolumeInformationByHandle(windows.Handle(f.Fd()), nil, 0, nil, nil, nil, &kind[0],
		uint32(len(kind))) == nil {
		r.FileSystem = windows.UTF16ToString(kind[:])
	}
	name, err := windows.UTF16PtrFromString(r.Path)
	if err != nil {
		return
	}
	var root [windows.MAX_PATH]uint16
	if windows.GetVolumePathName(name, &root[0], uint32(len(root))) == nil {
		r.Mount = windows.UTF16ToString(root[:])
	}
}

// setMark is not done: not every share has attributes of NTFS. A file next to the marked one works everywhere.
func setMark(*os.File) error { return windows.ERROR_NOT_SUPPORTED }

func hasMark(*os.File) bool { return false }

// numberOf identifies an existing file: no other has the same value.
func numberOf(f *os.File, _ fs.FileInfo) string {
	var i windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &i) != nil {
		return ""
	}
	return fmt.Sprintf("%x:%x%08x", i.VolumeSerialNumber, i.FileIndexHigh, i.FileIndexLow)
}

// onMedium is how many bytes of a file are stored, less than 0: not known.
func onMedium(fs.FileInfo) int64 { return -1 }

// isDisk reports whether info is that of a disk: \\.\PhysicalDrive0, \\.\D:.
func isDisk(info fs.FileInfo) bool { return info.Mode()&(fs.ModeDevice|fs.ModeIrregular) != 0 }

// mediumOf is the size and the sector of a disk.
func mediumOf(f *os.File) (size, sector unit.Bytes, err error) {
	const lengthInfo, geometry = 0x7405c, 0x70000 // IOCTL_DISK_GET_LENGTH_INFO, IOCTL_DISK_GET_DRIVE_GEOMETRY
	var n int64
	var g struct {
		cylinders                          int64
		media, tracks, sectors, sectorSize uint32
	}
	var got uint32
	h := windows.Handle(f.Fd())
	if err := windows.DeviceIoControl(h, lengthInfo, nil, 0, (*byte)(unsafe.Pointer(&n)), uint32(unsafe.Sizeof(n)), &got,
		nil); err != nil {
		return 0, 0, err
	}
	if err := windows.DeviceIoControl(h, geometry, nil, 0, (*byte)(unsafe.Pointer(&g)), uint32(unsafe.Sizeof(g)), &got,
		nil); err != nil {
		return 0, 0, err
	}
	return unit.Bytes(n), unit.Bytes(g.sectorSize), nil
}

// sectorOf is the alignment of direct requests, 0: not known. For a file it is the sector of its drive.
func sectorOf(_ *os.File, r Ready) unit.Bytes {
	root := r.Mount
	if root == "" {
		return 0
	}
	if !strings.HasSuffix(root, `\`) {
		root += `\`
	}
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return 0
	}
	var perCluster, perSector, free, all uint32
	if ok, _, _ := getDiskFreeSpace.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&perCluster)),
		uintptr(unsafe.Pointer(&perSector)), uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&all))); ok == 0 {
		return 0
	}
	return unit.Bytes(perSector)
}

var getDiskFreeSpace = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetDiskFreeSpaceW")

// roomFor returns an error if the file system has less than need bytes of free space.
func roomFor(_ *os.File, path string, need unit.Bytes) error {
	var root [windows.MAX_PATH]uint16
	name, err := windows.UTF16PtrFromString(path)
	if err != nil || windows.GetVolumePathName(name, &root[0], uint32(len(root))) != nil {
		return nil
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(&root[0], &free, nil, nil) == nil && free < uint64(need) {
		return noRoom(path, need, int64(free))
	}
	return nil
}
