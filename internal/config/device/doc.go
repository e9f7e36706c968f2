// Package device is what a rendered configuration is: files made of lines that know why they are there and where their
// form is documented, and the quoting of each language. It knows no family of devices.
package device
