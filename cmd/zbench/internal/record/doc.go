// Package record is zbench's result: what one repeat of one cell measured, with
// what, on what. A record is a line of JSON. Everything that zbench shows, tables,
// plots, comparisons, is made of records and nothing else, so that results that
// were kept can be shown again.
//
// A file of records (results.jsonl) has lines of four kinds: "plan", what was asked
// for; "env", the program, the library and the machine; "run", a repeat of a cell,
// which names its env by an id; "end", whether all of the plan was done. Lines may be mixed with others, such as a
// container's log: Read takes only those that begin with Prefix.
package record
