package k8stest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// objects are what a manifest has.
type objects struct {
	service corev1.Service
	plan    corev1.ConfigMap
	job     batchv1.Job
}

func decode(t *testing.T, name string) (o objects) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", name))
	require.NoError(t, err)
	documents := bytes.Split(text, []byte("\n---\n"))
	require.Len(t, documents, 3)
	for i, to := range []any{&o.service, &o.plan, &o.job} {
		require.NoError(t, yaml.UnmarshalStrict(documents[i], to), "%s: document %d", name, i)
	}
	return o
}

// What the parts say of each other fits: no API server is here to find that it does
// not.
func check(t *testing.T, o objects) {
	t.Helper()
	require.Equal(t, "v1/Service", o.service.APIVersion+"/"+o.service.Kind)
	require.Equal(t, "v1/ConfigMap", o.plan.APIVersion+"/"+o.plan.Kind)
	require.Equal(t, "batch/v1/Job", o.job.APIVersion+"/"+o.job.Kind)
	for _, namespace := range []string{o.service.Namespace, o.plan.Namespace} {
		require.Equal(t, o.job.Namespace, namespace)
	}
	require.Equal(t, corev1.ClusterIPNone, o.service.Spec.ClusterIP)
	require.True(t, o.service.Spec.PublishNotReadyAddresses)
	require.Equal(t, map[string]string{"job-name": o.job.Name}, o.service.Spec.Selector)

	require.Equal(t, batchv1.IndexedCompletion, *o.job.Spec.CompletionMode)
	require.EqualValues(t, 4, *o.job.Spec.Completions)
	require.EqualValues(t, 4, *o.job.Spec.Parallelism)
	require.Zero(t, *o.job.Spec.BackoffLimit)
	require.Equal(t, o.job.Spec.Template.Labels, o.job.Labels)

	pod := o.job.Spec.Template.Spec
	require.Equal(t, o.service.Name, pod.Subdomain)
	require.Equal(t, corev1.RestartPolicyNever, pod.RestartPolicy)
	require.False(t, *pod.AutomountServiceAccountToken)
	require.Len(t, pod.Containers, 1)
	c := pod.Containers[0]
	require.Equal(t, c.Resources.Requests, c.Resources.Limits)
	require.Len(t, c.Resources.Limits, 2)
	require.True(t, *c.SecurityContext.RunAsNonRoot)
	require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
	require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)
	require.Len(t, pod.Volumes, 1)
	require.Equal(t, o.plan.Name, pod.Volumes[0].ConfigMap.Name)
	require.Equal(t, pod.Volumes[0].Name, c.VolumeMounts[0].Name)
	require.Contains(t, o.plan.Data, "plan.yaml")
	require.Equal(t, c.VolumeMounts[0].MountPath, "/plan")
	require.Equal(t, []string{"pod", "--plan=/plan/plan.yaml", "--peers=4"}, c.Args[:3])
	require.Equal(t, "--join=tcp://"+o.job.Name+"-0."+o.service.Name+":5600", c.Args[3])
}

func TestPlainManifest(t *testing.T) {
	t.Parallel()
	o := decode(t, "plain.yaml")
	check(t, o)
	pod := o.job.Spec.Template.Spec
	require.Len(t, pod.TopologySpreadConstraints, 1)
	spread := pod.TopologySpreadConstraints[0]
	require.Equal(t, corev1.DoNotSchedule, spread.WhenUnsatisfiable)
	require.Equal(t, o.service.Spec.Selector, spread.LabelSelector.MatchLabels)
	require.False(t, pod.HostNetwork)
	require.Len(t, pod.Containers[0].Args, 4)
}

func TestEvery(t *testing.T) {
	t.Parallel()
	o := decode(t, "every.yaml")
	check(t, o)
	require.Equal(t, "load", o.job.Namespace)
	pod := o.job.Spec.Template.Spec
	require.Empty(t, pod.TopologySpreadConstraints)
	require.True(t, pod.HostNetwork)
	require.Equal(t, corev1.DNSClusterFirstWithHostNet, pod.DNSPolicy)
	require.Equal(t, map[string]string{"kubernetes.io/arch": "amd64", "pool": "bench"}, pod.NodeSelector)
	require.Equal(t, "--tcp-only", pod.Containers[0].Args[4])
	require.EqualValues(t, 500, pod.Containers[0].Resources.Limits.Cpu().MilliValue())
	key := pod.Containers[0].Env[2]
	require.Equal(t, "ZBENCH_KEY", key.Name)
	require.Equal(t, "zbench-key", key.ValueFrom.SecretKeyRef.Name)
}

// Strict means that: what Kubernetes does not know is an error.
func TestStrict(t *testing.T) {
	t.Parallel()
	var job batchv1.Job
	require.Error(t, yaml.UnmarshalStrict([]byte("spec: {completionMod: Indexed}"), &job))
}
