/** Where the name of a domain has to point, so that clients which use it reach the service. */
import type { Domain } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export interface Target {
  record: 'CNAME' | 'A' | 'AAAA'
  host: string
}

function targetOf(host: string): Target {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (address.includes(':')) return { record: 'AAAA', host: address }
  return { record: /^[\d.]+$/.test(address) ? 'A' : 'CNAME', host: address }
}

/**
 * For MQTT, the host that the service gives to devices; else that of this page.
 * @returns undefined until it is known
 */
export function useTarget(
  domain: Pick<Domain, 'name' | 'purpose'> | undefined,
): Target | undefined {
  const { data } = useRead('listEndpoints', { params: { id: useWorkspace().id } })
  if (domain === undefined) return undefined
  if (domain.purpose === 'api') {
    const { hostname } = globalThis.location
    return hostname === domain.name ? undefined : targetOf(hostname)
  }
  const hosts = data?.items.flatMap(({ endpoints }) => endpoints.map(({ host }) => host)) ?? []
  const [host] = hosts.filter((each) => each !== domain.name)
  return host === undefined ? undefined : targetOf(host)
}
