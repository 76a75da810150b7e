/**
 * The data that provisioning keeps in memory, so that registering is one round trip: templates etc.
 */
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import { type SerialTemplate, serialTemplateOf } from '../../devices/templates/serial-drawing.ts'
import {
  createSerialSequences,
  type SerialSequences,
} from '../../devices/templates/serial-sequence.ts'
import { createRegistrationWriter, type RegistrationWriter } from './registration-writer.ts'
import { findProvisionTemplate, type ProvisionTemplate } from './store.ts'

export interface CachedTemplate extends SerialTemplate {
  firmware: ProvisionTemplate['firmware']
}

export interface ProvisionTemplates {
  find(db: Db, workspaceId: string, templateId: string): Promise<CachedTemplate | undefined>
}

/** The data that provisioning keeps between requests. */
export interface ProvisioningServices {
  provisionTemplates: ProvisionTemplates
  serials: SerialSequences
  registrations: RegistrationWriter
}

const MAX_CACHED = 10_000

function createProvisionTemplates(feed: ChangeFeed): ProvisionTemplates {
  const cache = new FeedCache<CachedTemplate>({
    feed,
    max: MAX_CACHED,
    kinds: ['template'],
    refsOf: ({ id }) => [id],
  })
  return {
    find: (db, workspaceId, templateId) =>
      cache.load(`${workspaceId} ${templateId}`, async () => {
        const row = await findProvisionTemplate.first(db, { workspaceId, id: templateId })
        return row && { ...serialTemplateOf(row), firmware: row.firmware }
      }),
  }
}

/** @param autonomousDb commits blocks of serial numbers independently of requests */
export const createProvisioningServices = ({
  autonomousDb,
  feed,
}: {
  autonomousDb: Db
  feed: ChangeFeed
}): ProvisioningServices => ({
  provisionTemplates: createProvisionTemplates(feed),
  serials: createSerialSequences({ db: autonomousDb }),
  registrations: createRegistrationWriter(),
})
