/** Where MQTT clients connect, and how soon a revoke is true there. */
import type { Services } from '../../context.ts'
import type { BrokerEndpoints } from './schema.ts'

const portsOf = { mqtt: 1883, mqtts: 8883, ws: 80, wss: 443 } as const

export function listEndpoints({ mqttBrokers }: Pick<Services, 'mqttBrokers'>): BrokerEndpoints[] {
  return mqttBrokers().map(({ name, kind, boundSeconds, endpoints }) => ({
    broker: name,
    kind,
    revoke_bound_s: boundSeconds ?? null,
    endpoints: endpoints.map(({ protocol, host, port, path }) => {
      const place = protocol === 'ws' || protocol === 'wss' ? (path ?? '/mqtt') : null
      const authority = host.includes(':') ? `[${host}]` : host
      const at = port === portsOf[protocol] ? authority : `${authority}:${port}`
      return { protocol, host, port, path: place, url: `${protocol}://${at}${place ?? ''}` }
    }),
  }))
}
