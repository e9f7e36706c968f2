// Package guest makes whole machines for the lab: it assembles a kernel and an initramfs out of Debian's packages without
// being root, keeps them in the user's cache, writes QEMU's command line, and speaks with the guest's init over one
// serial channel.
//
//	Ensure -> fetch (apt-get), unpack (dpkg-deb), root (programs, libraries, modules), cpio -> cache
//	BuildModules -> fetch (headers, source), make, check, depmod -> cache, beside the image
//	Channel <-- one byte stream --> Server: requests, and commands with their standard streams
//
// What a guest does when it is asked is its owner's: package lab holds both ends.
package guest
