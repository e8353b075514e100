package zmq

// attachments are the endpoints that a socket is bound or connected to, as the program spelled
// them, with the names under which libzmq keeps them. One name can stand for several endpoints.
type attachments struct {
	names     map[string]string   // by endpoint
	endpoints map[string][]string // by name; an endpoint may since have another name
}

func newAttachments() attachments {
	return attachments{names: map[string]string{}, endpoints: map[string][]string{}}
}

func (a attachments) add(endpoint, name string) {
	if a.names[endpoint] != name {
		a.names[endpoint] = name
		a.endpoints[name] = append(a.endpoints[name], endpoint)
	}
}

// has reports whether an endpoint has the name.
func (a attachments) has(name string) bool {
	for _, endpoint := range a.endpoints[name] {
		if a.names[endpoint] == name {
			return true
		}
	}
	return false
}

// drop removes all endpoints with the name.
func (a attachments) drop(name string) {
	for _, endpoint := range a.endpoints[name] {
		if a.names[endpoint] == name {
			delete(a.names, endpoint)
		}
	}
	delete(a.endpoints, name)
}
