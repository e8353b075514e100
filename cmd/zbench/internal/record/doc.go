// Package record is zbench's result: what one repeat of one cell measured, how, and on
// what machine. A record is a line of JSON. All tables, charts and comparisons are made
// from records, so that kept results can be shown again.
//
// A file of records (results.jsonl) has lines of five kinds: "plan", what was asked for;
// "env", the program, the library and the machine; "run", a repeat of a cell; "verdict",
// the result of an objective; "end", whether all of the plan was done. Lines may be mixed
// with others, such as those of a container's log: Read takes only those that begin with
// Prefix.
package record
