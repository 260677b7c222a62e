// Package pricing holds exact money, price classes, meters and bills.
package pricing
