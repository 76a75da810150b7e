/** Domains in tests: a name server for the service, and workspaces with verified names. */
import assert from 'node:assert/strict'
import { before, type TestContext } from 'node:test'
import { newUuid } from '../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from './app.ts'
import { type NameServer, startNameServer, type Zone } from './name-server.ts'
import type { SeededWorkspace } from './seed.ts'
import { useTenants } from './suite-app.ts'

export type Purpose = 'mqtt' | 'api'

/** Like `useTenants`, with a name server that every process of the suite asks. */
export function useNamedTenants(more: Record<string, string> = {}): {
  tenants: (t: Pick<TestContext, 'after'>) => Promise<TestApp>
  nameServer: () => NameServer
} {
  const environment: Record<string, string> = { ...more }
  let server: NameServer | undefined
  before(async () => {
    // It asks for nothing and holds nothing: it ends with the process.
    server = await startNameServer({ after: () => {} })
    environment.MOORING_DNS_SERVERS = server.address
  })
  return {
    tenants: useTenants({ environment }),
    nameServer: () => server as NameServer,
  }
}

/** A name that no other test has. */
export const freshName = (): string => `d${newUuid().replaceAll('-', '')}.example.com`

export const addDomain = (
  { call }: TestApp,
  workspace: SeededWorkspace,
  name: string,
  purpose: Purpose = 'mqtt',
): Promise<CallResult> =>
  call('POST', `/workspaces/${workspace.id}/domains`, {
    as: as.platformKey(workspace.platformKey),
    body: { name, purpose },
  })

export const verify = (
  { call }: TestApp,
  workspace: SeededWorkspace,
  domainId: string,
): Promise<CallResult> =>
  call('POST', `/workspaces/${workspace.id}/domains/${domainId}/verify`, {
    as: as.platformKey(workspace.platformKey),
  })

interface Proof {
  verification: { name: string; value: string }
}

/** Has the DNS show the value of a domain, alongside what stands there. */
export function prove({ zones }: NameServer, { verification }: Proof, more: Zone = {}): void {
  const { txt = [] } = zones.get(verification.name) ?? {}
  zones.set(verification.name, { ...more, txt: [...txt, verification.value] })
}

/** A domain that a workspace has verified. */
export async function verifiedDomain(
  app: TestApp,
  server: NameServer,
  workspace: SeededWorkspace,
  purpose: Purpose = 'mqtt',
  name: string = freshName(),
): Promise<{ id: string; name: string; path: string }> {
  const { status, body, text } = await addDomain(app, workspace, name, purpose)
  assert.equal(status, 201, text)
  prove(server, body)
  const verified = await verify(app, workspace, body.id)
  assert.equal(verified.status, 200, verified.text)
  return { id: body.id, name, path: `/workspaces/${workspace.id}/domains/${body.id}` }
}
