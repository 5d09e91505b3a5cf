{{/* What the schema cannot say: values that do not fit together. Every mistake at once, each with the value's name. */}}
{{- define "pressbox.check" -}}
{{- $mistakes := list }}
{{- $settings := .Values.settings }}
{{- $secrets := .Values.secrets }}
{{- if not $settings.PUBLIC_URL }}
{{- $mistakes = append $mistakes "settings.PUBLIC_URL: set how browsers reach Pressbox; for example https://pressbox.example.com" }}
{{- end }}
{{- if not $settings.KAFKA_BOOTSTRAP_SERVERS }}
{{- $mistakes = append $mistakes "settings.KAFKA_BOOTSTRAP_SERVERS: name the brokers; for example kafka-0.kafka:9092,kafka-1.kafka:9092" }}
{{- end }}
{{- $sasl := hasPrefix "SASL_" $settings.KAFKA_SECURITY_PROTOCOL }}
{{- if and $sasl (not $settings.KAFKA_USERNAME) }}
{{- $mistakes = append $mistakes "settings.KAFKA_USERNAME: must be set, since settings.KAFKA_SECURITY_PROTOCOL has SASL" }}
{{- end }}
{{- if and .Values.kafkaCA.secret (not (hasSuffix "SSL" $settings.KAFKA_SECURITY_PROTOCOL)) }}
{{- $mistakes = append $mistakes "kafkaCA.secret: settings.KAFKA_SECURITY_PROTOCOL has no TLS, for which it would be" }}
{{- end }}
{{- if not (or .Values.blobs.existingClaim $settings.BLOBS_URL) }}
{{- $mistakes = append $mistakes "settings.BLOBS_URL: the archive needs a bucket (s3://bucket/prefix); or set blobs.existingClaim to a volume that every machine can write" }}
{{- end }}
{{- if and .Values.blobs.existingClaim $settings.BLOBS_URL }}
{{- $mistakes = append $mistakes "blobs.existingClaim: settings.BLOBS_URL is set too; leave one of them out" }}
{{- end }}
{{- if $secrets.existingSecret }}
{{- if $secrets.values }}
{{- $mistakes = append $mistakes "secrets.values: secrets.existingSecret is set too; leave one of them out" }}
{{- end }}
{{- else }}
{{- range $name, $need := .Files.Get "files/secrets.yaml" | fromYaml }}
{{- if and (or (eq $need "required") (and $sasl (eq $name "KAFKA_PASSWORD"))) (not (get $secrets.values $name)) }}
{{- $mistakes = append $mistakes (printf "secrets.values.%s: must be set; or name a Secret that has it in secrets.existingSecret" $name) }}
{{- end }}
{{- end }}
{{- if $secrets.existingOwnerSecret }}
{{- $mistakes = append $mistakes "secrets.existingOwnerSecret: goes with secrets.existingSecret; else set secrets.values.DATABASE_OWNER_URL" }}
{{- end }}
{{- end }}
{{- if .Values.keda.enabled }}
{{- if not (or .Values.keda.prometheus.serverAddress .Values.keda.redis.address) }}
{{- $mistakes = append $mistakes "keda.prometheus.serverAddress: workers are scaled by how long jobs wait, which Prometheus knows; or set keda.redis.address to scale them by how many wait" }}
{{- end }}
{{- range $name, $process := .Values.processes }}
{{- if and $process.maxReplicas (lt (int $process.maxReplicas) (int $process.replicas)) }}
{{- $mistakes = append $mistakes (printf "processes.%s.maxReplicas: must not be below processes.%s.replicas" $name $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- if $mistakes }}
{{- fail (printf "\n\n%s\n" (join "\n" $mistakes)) }}
{{- end }}
{{- end }}
