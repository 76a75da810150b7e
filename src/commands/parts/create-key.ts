/** Implements `mooring keys create`. */
import { serviceOrigin } from '../../events/event.ts'
import { createKeyOf } from '../../features/api-keys/api-key.ts'
import { CreateApiKey, type CreatedApiKey } from '../../features/api-keys/schema.ts'
import { bodyCheck } from '../../http/validation.ts'
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
