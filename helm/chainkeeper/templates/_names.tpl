{{- define "chainkeeper.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Name of everything; short enough that a pod's number fits behind it. */}}
{{- define "chainkeeper.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "chainkeeper.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "chainkeeper.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "chainkeeper.selectorLabels" -}}
app.kubernetes.io/name: {{ include "chainkeeper.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "chainkeeper.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "chainkeeper.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "chainkeeper.serviceAccount" -}}
{{- default (include "chainkeeper.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "chainkeeper.superSecret" -}}
{{- default (printf "%s-super" (include "chainkeeper.fullname" .)) .Values.superUser.secretName -}}
{{- end -}}

{{/* Where pods are found by their names. */}}
{{- define "chainkeeper.domain" -}}
{{- printf "%s-headless.%s.svc" (include "chainkeeper.fullname" .) .Release.Namespace -}}
{{- end -}}

{{/* Where the hooks connect: the founders, and whoever else is there. */}}
{{- define "chainkeeper.members" -}}
{{- $name := include "chainkeeper.fullname" . -}}
{{- $domain := include "chainkeeper.domain" . -}}
{{- range until (int .Values.founders) -}}
{{- printf "%s-%d.%s:2181," $name . $domain -}}
{{- end -}}
{{- $domain }}:2181
{{- end -}}

{{/* ZOO_CFG_EXTRA: keys of zoo.cfg, with a space between them. */}}
{{- define "chainkeeper.config" -}}
{{- $keys := list (printf "ordering.protocol=%s" .Values.protocol) "quorumListenOnAllIPs=true" "admin.serverPort=8080" -}}
{{- /* else old snapshots and logs stay for ever, as with Apache ZooKeeper, until the volume is full */ -}}
{{- $purges := hasKey .Values.config "autopurge.purgeInterval" -}}
{{- range .Values.extraEnv -}}
{{- $purges = or $purges (eq .name "ZOO_AUTOPURGE_PURGEINTERVAL") -}}
{{- end -}}
{{- if not $purges -}}
{{- $keys = append $keys "autopurge.purgeInterval=1" -}}
{{- end -}}
{{- if .Values.metrics.enabled -}}
{{- $keys = append $keys "metricsProvider.className=org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider" -}}
{{- $keys = append $keys "metricsProvider.httpPort=7000" -}}
{{- end -}}
{{- if .Values.tls.clients.secretName -}}
{{- $keys = append $keys "secureClientPort=2281" -}}
{{- $keys = append $keys "ssl.keyStore.location=/tls/clients/tls-combined.pem" -}}
{{- $keys = append $keys "ssl.trustStore.location=/tls/clients/ca.crt" -}}
{{- $keys = append $keys "ssl.trustStore.type=PEM" -}}
{{- end -}}
{{- if .Values.tls.links.secretName -}}
{{- $keys = append $keys "sslQuorum=true" -}}
{{- $keys = append $keys "sslQuorumReloadCertFiles=true" -}}
{{- $keys = append $keys "ssl.quorum.keyStore.location=/tls/links/tls-combined.pem" -}}
{{- $keys = append $keys "ssl.quorum.trustStore.location=/tls/links/ca.crt" -}}
{{- $keys = append $keys "ssl.quorum.trustStore.type=PEM" -}}
{{- end -}}
{{- if .Values.linkSecret.secretName -}}
{{- $keys = append $keys "ordering.secretFile=/secrets/links/secret" -}}
{{- end -}}
{{- range $key, $value := .Values.config -}}
{{- /* every number of a file is a float64, which %v gives an exponent; a backslash in zoo.cfg stands for what follows it */ -}}
{{- $keys = append $keys (printf (ternary "%s=%.0f" "%s=%v" (kindIs "float64" $value)) $key $value | replace "\\" "\\\\") -}}
{{- end -}}
{{- join " " $keys -}}
{{- end -}}

{{/* A text as the value of a variable: Kubernetes replaces $(NAME), and takes $$ for $. */}}
{{- define "chainkeeper.literal" -}}
{{- replace "$" "$$" . | quote -}}
{{- end -}}
