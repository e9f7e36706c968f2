package guest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// recipe describes the content of an image. Its hash names the image in the cache: another recipe is another image.
type recipe struct {
	Format   int      `json:"format"` // raised when the assembling code changes the result
	Arch     string   `json:"arch"`
	Packages []string `json:"packages"` // besides the kernel, with all dependencies
	Programs []string `json:"programs"` // files with these names in bin and sbin, with their libraries
	Opened   []string `json:"opened"`   // libraries that programs open at run time, below lib/TRIPLET; a folder ends in /
	Config   []string `json:"config"`   // files and folders of the packages below etc
	Modules  []string `json:"modules"`  // kernel modules, with all dependencies
	Folders  []string `json:"folders"`  // of the kernel's module tree that are unpacked
	Boot     []string `json:"boot"`     // modules that the init loads before it can communicate
	// System makes the image an operating system on a disk, with nearly complete packages. Nil: programs in an initramfs.
	System *system `json:"system,omitempty"`
}

// defaultRecipe is the image of every guest.
func defaultRecipe() recipe {
	return recipe{Format: 3, Arch: "amd64",
		Packages: []string{"busybox-static", "dash", "kmod", "xz-utils", "zstd", "iproute2", "ethtool", "iputils-ping",
			"rdma-core", "rdmacm-utils", "ibverbs-utils", "ibverbs-providers", "perftest", "nvme-cli", "open-iscsi",
			"nfs-kernel-server", "nfs-common", "cifs-utils", "ksmbd-tools"},
		Programs: []string{"dash", "kmod", "ip", "tc", "bridge", "ss", "rdma", "ethtool", "ping", "rping", "ibv_devinfo",
			"ibv_devices", "ibv_rc_pingpong", "ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_write_bw", "ib_read_bw",
			"ib_send_bw", "nvme", "iscsid", "iscsiadm", "mount.nfs", "rpc.nfsd", "rpc.mountd", "exportfs", "rpcbind",
			"mount.cifs", "ksmbd.mountd", "ksmbd.adduser", "ksmbd.control"},
		Opened: []string{"libgcc_s.so.1", "libibverbs.so.1", "libibverbs/"},
		Config: []string{"libibverbs.d", "netconfig", "iscsi"},
		Modules: []string{"virtio_pci", "virtio_net", "virtio_console", "virtio_rng", "9p", "9pnet_virtio", "rdma_rxe",
			"ib_uverbs", "rdma_ucm", "ib_iser", "ib_isert", "nvme-rdma", "nvme-tcp", "nvmet-rdma", "nvmet-tcp", "iscsi_tcp",
			"iscsi_target_mod", "target_core_iblock", "target_core_file", "rpcrdma", "nfsv4", "nfsd", "brd", "sd_mod", "veth",
			"bonding", "8021q", "nf_conntrack", "sch_netem", "sch_tbf", "sch_htb", "sch_fq", "sch_fq_codel", "tcp_bbr",
			"crc32c_generic", "crc32_generic", "crc32-pclmul", "cifs", "ksmbd", "cmac", "md4", "hmac", "aes_generic",
			"ghash-generic", "ccm", "gcm", "ctr", "nls_utf8", "libcrc32c"},
		Folders: []string{"arch", "crypto", "lib", "fs", "net", "block", "drivers/virtio", "drivers/infiniband",
			"drivers/nvme", "drivers/scsi", "drivers/target", "drivers/block", "drivers/char/hw_random",
			"drivers/char/virtio_console", "drivers/net/bonding", "drivers/net/veth", "drivers/net/virtio_net",
			"drivers/net/net_failover", "drivers/net/tun"},
		Boot: []string{"virtio_pci", "virtio_console", "virtio_rng", "virtio_net", "sch_tbf"}}
}

// hash returns the recipe's name in the cache: 16 hex digits.
func (r recipe) hash() string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain strings and numbers
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
