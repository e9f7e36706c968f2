package judge

import "linerate/internal/base/method"

// OverUDP reports whether an experiment sends datagrams.
func (c *Case) OverUDP() bool { return c.Exp.Settings["transport"] == "udp" }

// OverRDMA reports whether the traffic was RDMA, which the kernel's sockets do not see.
func (c *Case) OverRDMA() bool { return method.Named(c.Exp.Method).UsesRDMA }

// OverMPTCP reports whether the experiment used several paths at once, which the hosts' kernels choose.
func (c *Case) OverMPTCP() bool { return c.Exp.Settings["transport"] == "mptcp" }
