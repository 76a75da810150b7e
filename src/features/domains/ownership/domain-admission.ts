/**
 * Whether a client may use MQTT through the host it connected to: a domain only admits its
 * workspace.
 */
import type { DomainDirectory, DomainOfHost } from './directory.ts'

const isFor = (workspaceId: string, found: DomainOfHost | undefined): boolean =>
  found === undefined || (found.workspaceId === workspaceId && found.purpose === 'mqtt')

/**
 * @param hosts the TLS server name (SNI) or the `Host` of a WebSocket; empty if unknown, as behind
 * a TLS-terminating proxy
 */
export async function admitsByHosts(
  domains: Pick<DomainDirectory, 'find'>,
  hosts: readonly string[],
  workspaceId: string,
): Promise<boolean> {
  for (const host of hosts) if (!isFor(workspaceId, await domains.find(host))) return false
  return true
}
