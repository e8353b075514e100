// Package account keeps books on messages. Producers number and checksum their messages, and a
// ledger finds messages that were lost, duplicated, reordered, torn or corrupted. Only tests
// import it.
//
// The first part of a message names its producer and has its number and its checksum. The producer
// and the number determine the number of parts and their sizes, so the receiver can check them.
package account
