// Package iproute reads outputs of ip, tc and ss.
package iproute
