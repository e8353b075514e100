// Package record holds zbench's results. A record is a line of JSON. All tables, charts and
// comparisons are made from records, so that kept results can be shown again.
//
// A file of records (results.jsonl) has lines of five kinds: "plan", the command; "env", the
// program, the library and the machine; "run", one repeat of one cell; "verdict", the result
// of an objective; "end", which says whether the plan was completed. The file may contain
// other lines, such as those of a container's log: Read takes only those that begin with
// Prefix.
package record
