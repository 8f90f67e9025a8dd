package energy

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

func pointer(f *windows.Filetime) uintptr { return uintptr(unsafe.Pointer(f)) }
