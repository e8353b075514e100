// Package account keeps books on messages: producers number and checksum what they
// send, and a ledger finds out what was lost, doubled, reordered, torn or corrupted on
// the way. Only tests import it.
//
// A message says in its first part who made it, which number it has, and what its
// bytes sum up to. How many parts it has, and of which sizes, follows from these two
// numbers alone, so that whoever receives it knows what it must look like.
package account
