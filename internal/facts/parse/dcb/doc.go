// Package dcb reads the tools that set and print the traffic classes of a host: dcb, mlnx_qos, lldptool.
package dcb
