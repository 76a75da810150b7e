/** Whether somebody may use MQTT by the host that they came by: a domain admits its workspace. */
import type { DomainDirectory, DomainOfHost } from './directory.ts'

const isFor = (workspaceId: string, found: DomainOfHost | undefined): boolean =>
  found === undefined || (found.workspaceId === workspaceId && found.purpose === 'mqtt')

/**
 * @param hosts that the client has named, in the TLS handshake (SNI) or as `Host` of a WebSocket;
 * none where it is not known, as behind a proxy that ends TLS.
 */
export async function admitsByHosts(
  domains: Pick<DomainDirectory, 'find'>,
  hosts: readonly string[],
  workspaceId: string,
): Promise<boolean> {
  for (const host of hosts) if (!isFor(workspaceId, await domains.find(host))) return false
  return true
}
