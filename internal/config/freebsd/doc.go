// Package freebsd renders hosts with FreeBSD, as shell scripts and blocks of its configuration files, and with TrueNAS, as
// steps in its own interface: TrueNAS writes these files itself.
package freebsd
