{{/* What the schema cannot say: values that contradict each other. */}}
{{- define "chainkeeper.check" -}}
{{- $replicas := int .Values.replicaCount -}}
{{- $founders := int .Values.founders -}}
{{- if and (gt $replicas 0) (lt $replicas $founders) -}}
{{- fail (printf "replicaCount=%d, but founders=%d: the founders stay members; for a new ensemble of %d set founders=%d" $replicas $founders $replicas $replicas) -}}
{{- end -}}
{{- if and .Values.disruptionBudget.enabled (gt $replicas 2) (ge (mul 2 (int .Values.disruptionBudget.maxUnavailable)) $replicas) -}}
{{- fail (printf "disruptionBudget.maxUnavailable=%d of replicaCount=%d leaves no majority" (int .Values.disruptionBudget.maxUnavailable) $replicas) -}}
{{- end -}}
{{- if and .Values.tls.clients.only (not .Values.tls.clients.secretName) -}}
{{- fail "tls.clients.only=true, but tls.clients.secretName is empty: no client could connect" -}}
{{- end -}}
{{- if and .Values.tls.clients.only (not .Values.networkPolicy.enabled) -}}
{{- fail "tls.clients.only=true, but networkPolicy.enabled=false: the port without TLS, which the pods use, would be open to all" -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "metrics.serviceMonitor.enabled=true, but metrics.enabled=false: there is nothing to scrape" -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.create=false, but serviceAccount.name is empty: name one that may get statefulsets/scale" -}}
{{- end -}}
{{- $own := list "dataDir" "dataLogDir" "clientPort" "clientPortAddress" "secureClientPort" "dynamicConfigFile" "reconfigEnabled" "standaloneEnabled" "admin.enableServer" "admin.serverPort" "admin.serverAddress" "ordering.protocol" "ordering.secretFile" "quorumListenOnAllIPs" "metricsProvider.className" "metricsProvider.httpPort" "sslQuorum" "sslQuorumReloadCertFiles" "ssl.keyStore.location" "ssl.trustStore.location" "ssl.trustStore.type" "ssl.quorum.keyStore.location" "ssl.quorum.trustStore.location" "ssl.quorum.trustStore.type" "DigestAuthenticationProvider.superDigest" -}}
{{- range $key, $value := .Values.config -}}
{{- if or (has $key $own) (hasPrefix "server." $key) -}}
{{- fail (printf "config.%s: the chart sets this key of zoo.cfg itself, from other values" $key) -}}
{{- end -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- if or (hasPrefix "POD_" .name) (has .name (list "ZOO_MY_ID" "ZOO_SERVERS" "ZOO_CFG_EXTRA" "ZOO_CONF_DIR" "ZOOCFGDIR" "ZOO_DATA_DIR" "ZOO_DATA_LOG_DIR" "ZOO_LOG_DIR" "ZOO_STANDALONE_ENABLED" "ZOO_ADMINSERVER_ENABLED" "ZK_SERVER_HEAP" "ZK_SERVER_HEAP_PERCENT" "SERVER_JVMFLAGS")) -}}
{{- fail (printf "extraEnv %s: the chart sets this variable itself, from other values" .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What is possible and seldom meant: a list in JSON. */}}
{{- define "chainkeeper.warnings" -}}
{{- $replicas := int .Values.replicaCount -}}
{{- $warnings := list -}}
{{- if and (gt $replicas 0) (eq (mod $replicas 2) 0) -}}
{{- $warnings = append $warnings (printf "replicaCount=%d is even: it survives as few failures as %d, and every write needs one server more" $replicas (sub $replicas 1)) -}}
{{- else if eq $replicas 1 -}}
{{- $warnings = append $warnings "replicaCount=1: while the server is down nobody is served, and its volume is the only copy" -}}
{{- end -}}
{{- if ne .Values.storage.whenScaled "Retain" -}}
{{- $warnings = append $warnings "storage.whenScaled=Delete: a server that comes back after scaling down begins with an empty disk" -}}
{{- end -}}
{{- toJson $warnings -}}
{{- end -}}
