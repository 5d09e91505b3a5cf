{{/* The name of everything: the release's, with the chart's unless it is in it. */}}
{{- define "pressbox.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* What selects the pods of this release; with a component, those of one process. */}}
{{- define "pressbox.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "pressbox.labels" -}}
{{ include "pressbox.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "pressbox.image" -}}
{{- with .Values.image }}
{{- .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "pressbox.secret" -}}
{{ .Values.secrets.existingSecret | default (include "pressbox.name" .) }}
{{- end }}

{{/* The settings as a container's `env`. `secret`: where those lie that are secret; `owner`: where DATABASE_OWNER_URL. */}}
{{- define "pressbox.env" -}}
{{- $root := .root }}
- {name: PRESSBOX_PRODUCTION, value: "1"}
- {name: SECURE_COOKIES, value: "1"}
- {name: PRESSBOX_VAR, value: /pressbox/var}
- {name: HOST, value: 0.0.0.0}
- {name: PORT, value: "8000"}
{{- if $root.Values.kafkaCA.secret }}
- {name: KAFKA_CA_FILE, value: /etc/pressbox/kafka/ca.pem}
{{- end }}
{{- if $root.Values.blobs.existingClaim }}
- {name: BLOBS_URL, value: /srv/blobs}
{{- end }}
{{- range $name, $value := $root.Values.settings }}
{{- if $value }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}
{{- range $name, $need := $root.Files.Get "files/secrets.yaml" | fromYaml }}
{{- $needed := or (eq $need "required") (and (eq $name "KAFKA_PASSWORD") (hasPrefix "SASL_" $root.Values.settings.KAFKA_SECURITY_PROTOCOL)) }}
- {name: {{ $name }}, valueFrom: {secretKeyRef: {name: {{ $.secret }}, key: {{ $name }}, optional: {{ not $needed }}}}}
{{- end }}
{{- with .owner }}
- {name: DATABASE_OWNER_URL, valueFrom: {secretKeyRef: {name: {{ . }}, key: DATABASE_OWNER_URL}}}
{{- end }}
{{- end }}

{{/* What every pod of ours has besides its container: who it is, where it may run. */}}
{{- define "pressbox.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false  # else a Service of some name becomes a setting of ours
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.pod.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pod.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pod.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
volumes:
  - {name: tmp, emptyDir: {sizeLimit: {{ .Values.pod.tmpSize }}}}
  - {name: var, emptyDir: {sizeLimit: 512Mi}}
  {{- if .Values.kafkaCA.secret }}
  - name: kafka-ca
    secret: {secretName: {{ .Values.kafkaCA.secret }}, items: [{key: {{ .Values.kafkaCA.key }}, path: ca.pem}]}
  {{- end }}
  {{- with .Values.blobs.existingClaim }}
  - {name: blobs, persistentVolumeClaim: {claimName: {{ . }}}}
  {{- end }}
  {{- with .Values.pod.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* What every container of ours has besides its command and its settings. */}}
{{- define "pressbox.container" -}}
image: {{ include "pressbox.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: var, mountPath: /pressbox/var}
  {{- if .Values.kafkaCA.secret }}
  - {name: kafka-ca, mountPath: /etc/pressbox/kafka, readOnly: true}
  {{- end }}
  {{- if .Values.blobs.existingClaim }}
  - {name: blobs, mountPath: /srv/blobs}
  {{- end }}
  {{- with .Values.pod.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
