/** Implements `mooring keys create`. */
import { createKeyring } from '../../access/keyring.ts'
import { serviceOrigin } from '../../events/event.ts'
import { createKeyOf } from '../../features/api-keys/api-key.ts'
import { CreateApiKey, type CreatedApiKey } from '../../features/api-keys/schema.ts'
import { bodyCheck } from '../../http/validation.ts'
import { demandWorkspace, withInstallation } from './session.ts'

const names = { '/name': '--name', '/key_kind': '--kind' }

export function makeKey(slug: string, input: CreateApiKey): Promise<CreatedApiKey> {
  return withInstallation(names, async ({ db, clock, masterKey }) => {
    bodyCheck(CreateApiKey, 'refuse')(input)
    const keyring = createKeyring(await masterKey())
    const workspaceId = await demandWorkspace(db, slug)
    return createKeyOf({ db, keyring, clock }, serviceOrigin, { ...input, workspaceId })
  })
}
