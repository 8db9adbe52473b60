// Reads Kubernetes manifests from its input and decodes each strictly: an unknown or misspelt field is an error.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	checked := 0
	for _, document := range strings.Split("\n"+string(text), "\n---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			fail(kind, err)
		}
		var into any
		switch kind.APIVersion + " " + kind.Kind {
		case " ":
			continue
		case "apps/v1 StatefulSet":
			into = &apps.StatefulSet{}
		case "v1 Service":
			into = &core.Service{}
		case "v1 ServiceAccount":
			into = &core.ServiceAccount{}
		case "v1 Secret":
			into = &core.Secret{}
		case "policy/v1 PodDisruptionBudget":
			into = &policy.PodDisruptionBudget{}
		case "networking.k8s.io/v1 NetworkPolicy":
			into = &networking.NetworkPolicy{}
		case "rbac.authorization.k8s.io/v1 Role":
			into = &rbac.Role{}
		case "rbac.authorization.k8s.io/v1 RoleBinding":
			into = &rbac.RoleBinding{}
		case "monitoring.coreos.com/v1 ServiceMonitor":
			// not one of Kubernetes' own
			continue
		default:
			fail(kind, fmt.Errorf("unknown kind"))
		}
		if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
			fail(kind, err)
		}
		checked++
	}
	fmt.Println(checked, "manifests")
}

func fail(kind meta.TypeMeta, err error) {
	fmt.Fprintln(os.Stderr, kind.APIVersion, kind.Kind, err)
	os.Exit(1)
}
