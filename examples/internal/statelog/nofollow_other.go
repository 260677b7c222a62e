//go:build !unix

package statelog

const noFollow = 0
