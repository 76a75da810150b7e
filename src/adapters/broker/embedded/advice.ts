/** Which settings close a hole that `mooring doctor` finds in the embedded broker. */
import type { Advice } from '../broker-kind.ts'

export const embeddedAdvice: Advice = {
  good_login: 'Start the service, and read its log.',
  encryption:
    'Set MOORING_MQTT_TLS_PORT, connect devices there, and block the plain port (MOORING_MQTT_PORT) with a firewall. If a proxy terminates TLS, set MOORING_MQTT_PUBLIC_TLS=on.',
  tls_certificate:
    'Set MOORING_TLS_CERT_FILE and MOORING_TLS_KEY_FILE to a certificate for that name, with its chain.',
}
