// Package federation shares reserved instances between data centres.
package federation
