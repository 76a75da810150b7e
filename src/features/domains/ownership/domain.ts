/** The rules of domains: which names are allowed, adding and deleting them. */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { unlessTaken } from '../../../platform/database/connect.ts'
import { readDomainName } from '../../../adapters/dns/domain-name.ts'
import { invalid, withinLimit } from '../../../platform/errors/errors.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { issueSecret } from '../../../platform/lib/secrets.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import type { DomainServices } from './directory.ts'
import { recordDomain } from './domain-settlement.ts'
import { revisedOf, viewOf } from './domain-view.ts'
import { type CreateDomain, domainFields, type DomainView, type ListDomains } from './schema.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'
import { lockerOf, readerOf } from '../../common/resource.ts'

export type DomainContext = Context<StaffCaller> & DomainServices

/** Domains per workspace, to stop runaway scripts. */
const MAX_DOMAINS = 100
/** Deployed firmware has room for this many characters of `mqtt_host`. */
const MAX_OF_MQTT = 127

/**
 * Adds a name, which proves nothing yet: several workspaces may have added the same one. Each gets
 * a fresh value, which no earlier record can contain.
 * @throws Failure invalid_request, domain_exists, limit_reached
 */
export async function addDomain(context: DomainContext, input: CreateDomain): Promise<DomainView> {
  const { db, domainRules, workspaceId } = context
  const { purpose } = input
  const max = purpose === 'mqtt' ? MAX_OF_MQTT : undefined
  const read = readDomainName(input.name, domainRules, max)
  if ('problem' in read) throw invalid('/name', read.problem)
  const origin = originOf(context)
  const adding = db.transaction(async (trx) => {
    withinLimit(await store.countDomains(trx, workspaceId), 'domains', MAX_DOMAINS, 'domains')
    const row = await store.insertDomain.one(trx, {
      workspaceId,
      id: newUuid(),
      name: read.name,
      purpose,
      value: issueSecret('service-verification='),
      createdBy: origin.actor.id as string,
    })
    await recordDomain(trx, origin, 'domain.added', row)
    return viewOf(row)
  })
  return unlessTaken(adding, 'domains_name', 'domain_exists')
}

export const listDomains = (context: Context<StaffCaller>, query: ListDomains) =>
  listFiltered(context, query, {
    name: 'domains',
    fields: domainFields,
    conditions: { purpose: query.purpose, status: query.status },
    pageOf: store.pageOfDomains,
    view: viewOf,
  })

const lock = lockerOf(store.lockDomain, 'domain_not_found')
const read = readerOf(store.findDomain, 'domain_not_found')

export const getDomain = async (
  context: Context<StaffCaller>,
  id: string,
): Promise<Revised<DomainView>> => revisedOf(await read(context.db, context, id))

/** Afterwards another workspace with its own value in DNS may own the name. */
export async function deleteDomain(context: DomainContext, id: string): Promise<void> {
  const { db, domains, workspaceId } = context
  await db.transaction(async (trx) => {
    const row = await lock(trx, context, id)
    await store.removeDomain.run(trx, { workspaceId, id })
    await domains.announce(trx, { workspaceId, name: row.name })
    await recordDomain(trx, originOf(context), 'domain.deleted', row)
  })
}
