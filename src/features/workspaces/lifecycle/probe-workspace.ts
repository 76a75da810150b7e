/** Temporary workspaces for examining a broker without touching real ones. */
import { randomBytes } from 'node:crypto'
import type { Services } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { markDeleting, insertWorkspace } from './store.ts'
import { workspaceChange } from './workspace.ts'

const NAME = 'Examination of a broker'

type Needed = Pick<Services, 'db' | 'feed'>

/** @returns its UUID. */
export function createProbeWorkspace({ db }: Needed): Promise<string> {
  const slug = `probe-${randomBytes(8).toString('hex')}`
  return db.transaction(async (trx) => {
    const row = await insertWorkspace(trx, { id: newUuid(), name: NAME, slug, ownerId: null })
    if (row === undefined) throw new Failure('slug_taken')
    const change = workspaceChange('workspace.created', row.id, { name: NAME, slug })
    await record(trx, serviceOrigin, change)
    return row.id
  })
}

/** Revokes its credentials immediately; it is erased without the usual retention period. */
export function discardProbeWorkspace({ db, feed }: Needed, workspaceId: string): Promise<void> {
  return db.transaction(async (trx) => {
    await markDeleting.one(trx, { id: workspaceId, days: 0 })
    await feed.announce(trx, 'workspace', workspaceId)
    await record(trx, serviceOrigin, workspaceChange('workspace.deleted', workspaceId))
  })
}
