// Package runtest has what the tests of several methods need: agents, plans, a session and a measurement without hosts.
package runtest
