package parse

import (
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/dcb"
	"linerate/internal/facts/parse/rdma"
)

// DCBSources are Linux' outputs about traffic classes, and scripts that set them.
func DCBSources() []parse.Source {
	show := func(object string) parse.Source { return rdma.From("dcb "+object+" *", dcb.ReadDCB) }
	return []parse.Source{show("pfc").KeptAs("dcb pfc", `(?m)^\s*(?:pfc-cap \d|prio-pfc \d:)`),
		show("ets").KeptAs("dcb ets", `(?m)^\s*(?:willing o\w+ ets.cap \d|prio-tc \d:\d)`),
		rdma.From("dcb app *", dcb.ReadDCBApp).KeptAs("dcb app", `(?m)^\s*dscp-prio \w+:\d`),
		show("buffer").KeptAs("dcb buffer", `(?m)^\s*prio-buffer \d:\d`),
		show("apptrust").KeptAs("dcb apptrust", `(?m)^\s*order: (?:dscp|pcp|port|ethtype)`),
		rdma.From("dcb dcbx *", dcb.ReadDCBX).KeptAs("dcb dcbx", ""),
		rdma.From("mlnx_qos *", dcb.ReadMlnxQoS).KeptAs("mlnx qos i", `(?m)^\s*Priority trust state: `),
		rdma.From("mlnx_qos *", dcb.ReadMlnxQoS).KeptAs("mlnx qos", ""),
		rdma.From("lldptool *", dcb.ReadLLDPTool).KeptAs("", `(?m)^IEEE 8021QAZ \w+(?: \w+)? TLV`),
		rdma.From("sys/class/net/*/ecn/*/enable/*", rdma.ReadECNFile),
		rdma.From("sys/class/net/*/qos/trust", rdma.ReadTrustFile),
		rdma.From("linux script", readLinuxScript).On("linux").KeptAs("", scriptLooks)}
}
