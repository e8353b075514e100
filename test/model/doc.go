// Package model runs random sequences of calls beside a model of sockets that says what each call
// may return. It has only tests.
package model
