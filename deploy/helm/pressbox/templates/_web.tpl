{{/* Of the web server alone. No probe asks a store: one that is away would end or hide every pod at once, where pages
say what is wrong. The other processes have no probe: each ends when it cannot go on, and one that does not get on is
an alert (PressboxPartDown), which only somebody who looks at the stores can judge. */}}
{{- define "pressbox.answering" -}}
ports:
  - {name: http, containerPort: 8000}
lifecycle:
  preStop: {exec: {command: [sleep, "5"]}}  # until nobody sends requests here any more
startupProbe:
  httpGet: {path: /static/favicon.svg, port: http}
  periodSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet: {path: /sign-in, port: http}
  timeoutSeconds: 10
  failureThreshold: 3
# Patient: a server with a queue in front of it must not be killed for it.
livenessProbe:
  httpGet: {path: /static/favicon.svg, port: http}
  periodSeconds: 20
  timeoutSeconds: 15
  failureThreshold: 6
{{- end }}
