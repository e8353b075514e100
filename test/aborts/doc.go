// Package aborts tests that the public API prevents the aborts and hangs of libzmq that
// docs/safety.md lists. Each row of its table runs in a process of its own. Some rows also run
// directly against libzmq, to show that they abort a process there.
package aborts
