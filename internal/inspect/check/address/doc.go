// Package address has the checks of addresses, neighbours, routes and MTUs.
package address
