/** Where MQTT clients connect, and how soon a revocation takes effect there. */
import type { Context, MqttBroker } from '../../../context.ts'
import { hostInUrl } from '../../../platform/lib/networks.ts'
import type { DomainServices } from '../../domains/ownership/directory.ts'
import type { BrokerEndpoints } from './schema.ts'

const portsOf = { mqtt: 1883, mqtts: 8883, ws: 80, wss: 443 } as const

export type EndpointServices = DomainServices

type Endpoint = MqttBroker['endpoints'][number]

const shownOf = ({ protocol, host, port, path }: Endpoint) => {
  const place = protocol === 'ws' || protocol === 'wss' ? (path ?? '/mqtt') : null
  const authority = hostInUrl(host)
  const at = port === portsOf[protocol] ? authority : `${authority}:${port}`
  return { protocol, host, port, path: place, url: `${protocol}://${at}${place ?? ''}` }
}

/** The embedded broker is also reachable through the workspace's own domain, which comes first. */
export async function listEndpoints(
  context: Pick<Context, 'mqttBrokers' | 'workspaceId'> & EndpointServices,
): Promise<BrokerEndpoints[]> {
  const own = await context.domains.mqttHostOf(context.workspaceId)
  return context.mqttBrokers().map(({ name, kind, boundSeconds, keepsPasswords, endpoints }) => {
    const isEmbedded = kind === 'embedded' && own !== undefined
    const ownEndpoints = isEmbedded ? endpoints.map((each) => ({ ...each, host: own })) : []
    return {
      broker: name,
      kind,
      revoke_bound_s: boundSeconds ?? null,
      keeps_passwords: keepsPasswords,
      endpoints: [...ownEndpoints, ...endpoints].map(shownOf),
    }
  })
}
