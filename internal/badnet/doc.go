// Package badnet is a TCP proxy that does to the connections through it what bad
// networks do: it delays what is sent, splits it into single bytes, swallows it for a
// while, and ends connections with a reset. Only tests import it.
package badnet
