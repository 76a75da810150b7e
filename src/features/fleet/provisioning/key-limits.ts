/** Checks that apply to every use of a provision key: workspace, address, action. */
import { BlockList, isIP } from 'node:net'
import type { ProvisionKeyCaller } from '../../../platform/access/principal.ts'
import type { Services } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { RequestContext } from '../../../platform/http/operation.ts'
import { parseSentId } from '../../../platform/lib/ids.ts'
import { oncePer } from '../../../platform/lib/once-per.ts'
import { addNetwork } from '../../team/api-keys/key-settings.ts'
import type { ProvisioningServices } from './templates.ts'

export type ProvisionContext = RequestContext<Services & ProvisioningServices, ProvisionKeyCaller>

/** @param rule the setting of the key that refuses */
export const denied = (rule: string, sentence: string): Failure =>
  new Failure('key_scope_denied', { detail: `${sentence} (${rule}).`, rule })

const networksOf = oncePer((cidrs: readonly string[]) => {
  const networks = new BlockList()
  for (const cidr of cidrs) addNetwork(networks, cidr)
  return networks
})

function requireAddress({ allowedCidrs }: ProvisionKeyCaller, address: string): void {
  if (allowedCidrs === null) return
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (!networksOf(allowedCidrs).check(address, family)) {
    throw denied('allowed_cidrs', 'This key may not be used from this address')
  }
}

function requireWorkspace(caller: ProvisionKeyCaller, workspaceId: string | undefined): void {
  if (workspaceId === undefined) return
  if (parseSentId('ws', workspaceId) === caller.workspaceId) return
  throw denied('workspace_id', 'This key belongs to another workspace')
}

export function requireAction(caller: ProvisionKeyCaller, action: 'register' | 'rotate'): void {
  if (!caller.actions.includes(action)) throw denied('actions', `This key may not ${action}`)
}

/** Checks every use of a provision key. */
export function requireKeyLimits(context: ProvisionContext, workspaceId: string | undefined): void {
  requireAddress(context.caller, context.request.address)
  requireWorkspace(context.caller, workspaceId)
}
