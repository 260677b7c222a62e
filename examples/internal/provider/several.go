package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Part is one provider of Several: its name, and the nodes that its instances may have.
type Part struct {
	Name  string // without a slash, each once
	Nodes []string
	Provider
}

// Several is several providers as one. The node says which provider creates an instance.
// The ID of an instance has the name of its provider before it, as in private/i-7.
//
// List fails if one provider fails to list: an instance that is missing from a list would
// count as ended.
type Several []Part

// separator is between the name of a provider and its ID of an instance.
const separator = "/"

// Create rents an instance from the provider of the node.
func (s Several) Create(ctx context.Context, token, node string) (Instance, error) {
	for i := range s {
		if p := &s[i]; slices.Contains(p.Nodes, node) {
			in, err := p.Provider.Create(ctx, token, node)
			return p.named(in), p.wrapped(err)
		}
	}
	return Instance{}, fmt.Errorf("%w: the node %s is no provider's", ErrRefused, node)
}

// Delete ends an instance at its provider.
func (s Several) Delete(ctx context.Context, id string) (Instance, error) {
	name, own, _ := strings.Cut(id, separator)
	for i := range s {
		if p := &s[i]; p.Name == name {
			in, err := p.Provider.Delete(ctx, own)
			return p.named(in), p.wrapped(err)
		}
	}
	return Instance{}, fmt.Errorf("the instance %q is of no provider here: want the providers that it was rented with", id)
}

// List returns the instances of all providers.
func (s Several) List(ctx context.Context) ([]Instance, error) {
	var all []Instance
	var failed error
	for i := range s {
		p := &s[i]
		list, err := p.Provider.List(ctx)
		failed = errors.Join(failed, p.wrapped(err))
		for _, in := range list {
			all = append(all, p.named(in))
		}
	}
	if failed != nil {
		return nil, failed
	}
	return all, nil
}

// named puts the name of the provider before the ID of an instance.
func (p *Part) named(in Instance) Instance {
	if in.ID != "" {
		in.ID = p.Name + separator + in.ID
	}
	return in
}

// wrapped says which provider an error is from.
func (p *Part) wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", p.Name, err)
}
