/** Implements `mooring keys create`. */
import { serviceOrigin } from '../../platform/record/event.ts'
import { createKeyOf } from '../../features/team/api-keys/api-key.ts'
import { CreateApiKey, type CreatedApiKey } from '../../features/team/api-keys/schema.ts'
import { bodyCheck } from '../../platform/http/validation.ts'
import { demandWorkspace, withInstallation } from './session.ts'

const names = { '/name': '--name', '/key_kind': '--kind' }

export function makeKey(slug: string, input: CreateApiKey): Promise<CreatedApiKey> {
  return withInstallation(names, async ({ db, clock, keyring: makeKeyring }) => {
    bodyCheck(CreateApiKey, 'refuse')(input)
    const keyring = await makeKeyring()
    const workspaceId = await demandWorkspace(db, slug)
    return createKeyOf({ db, keyring, clock }, serviceOrigin, { ...input, workspaceId })
  })
}
