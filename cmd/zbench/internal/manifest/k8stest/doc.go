// Package k8stest decodes the manifests of package manifest into the types of
// Kubernetes, where nothing may be unknown. It has tests only.
package k8stest
