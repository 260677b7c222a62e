// Package plimsoll decides how much cloud capacity to carry.
package plimsoll
