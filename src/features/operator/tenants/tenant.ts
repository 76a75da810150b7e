/**
 * The workspaces of the installation, and what operators see of all of them: how many things there
 * are, who belongs to it, what is invited and invoiced. An operator gets no right in a workspace.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { RowOf } from '../../../platform/database/sql.ts'
import { found } from '../../../platform/errors/errors.ts'
import { formatId, uuidOf } from '../../../platform/lib/ids.ts'
import { INSTALLATION } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { pageOfIssued } from '../../billing/invoices/invoice.ts'
import { boundedCount } from '../../common/bounded-count.ts'
import { readPage } from '../../common/paging.ts'
import type { Paged } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'
import type { PlanServices } from '../../metering/plans/plan-directory.ts'
import { lists } from '../../workspaces/installation/lists.ts'
import { restoreWorkspace } from '../../workspaces/lifecycle/workspace-deletion.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'

export type TenantServices = PlanServices

type Own = Context<UserCaller> & TenantServices

/** The plan in effect, by the name of the chosen one. */
function planView({ plans }: TenantServices, chosen: string | null) {
  const plan = plans.isOn ? (chosen ?? plans.fallback?.name ?? null) : null
  return { plan, plan_is_default: plan !== null && chosen === null }
}

/** By slug. */
export async function listTenants(
  context: Own,
  query: schema.ListTenants,
): Promise<Paged<schema.TenantSummary>> {
  const { db } = context
  const { search } = query
  const page = readPage(context, query, `installation-workspaces ${search ?? ''}`)
  const rows = await lists.workspaces(db, { search, ...page.asked })
  const ids = rows.map(({ id }) => uuidOf('ws', id))
  const summaries = await store.findSummaries.rows(db, { ids })
  const summaryOf = new Map(summaries.map((each) => [formatId('ws', each.id), each]))
  return page.of(
    rows,
    ({ slug }) => slug,
    (row) => {
      const { devices, chosen_plan } = found(summaryOf.get(row.id), 'workspace_not_found')
      return { ...row, devices: boundedCount(devices), ...planView(context, chosen_plan) }
    },
  )
}

type People = readonly RowOf<typeof store.listPeople>[]

const personOf = rowView<People[number]>()(schema.TenantView.properties.people.items)
const viewOf = rowView<RowOf<typeof store.findTenant>, [TenantServices, People]>()(
  schema.TenantView,
  {
    plan: ({ chosen_plan }, services) => planView(services, chosen_plan).plan,
    plan_is_default: ({ chosen_plan }, services) => planView(services, chosen_plan).plan_is_default,
    devices: ({ devices }) => boundedCount(devices),
    connected: ({ connected }) => boundedCount(connected),
    people: (_row, _services, people) => people.map((each) => personOf(each)),
  },
)

/** @throws Failure workspace_not_found */
export async function getTenant(context: Own, id: string): Promise<schema.TenantView> {
  const { db } = context
  const row = found(await store.findTenant.first(db, { id }), 'workspace_not_found')
  return viewOf(row, context, await store.listPeople.rows(db, { id }))
}

/** @throws Failure workspace_not_found unless it is deleted and not yet being erased */
export function restoreTenant(context: Own, id: string): Promise<schema.RestoredTenant> {
  const { db, feed } = context
  return db.transaction(async (trx) => {
    const { slug } = found(await store.findTenant.first(trx, { id }), 'workspace_not_found')
    const origin = originOf(context)
    const { hasOwner } = await restoreWorkspace({ db: trx, feed }, slug, origin)
    await record(trx, origin, {
      workspaceId: INSTALLATION,
      action: 'workspace.restored',
      resource: { kind: 'workspace', id: formatId('ws', id) },
    })
    return { has_owner: hasOwner }
  })
}

/** In the order of the slugs of their workspaces, oldest first in each. */
export async function listAllInvitations(
  context: Own,
  query: schema.ListOfAll,
): Promise<Paged<schema.InvitationSummary>> {
  const page = readPage(context, query, 'installation-invitations')
  const rows = await lists.invitations(context.db, page.asked)
  const ids = rows.map(({ id }) => uuidOf('inv', id))
  const mails = await store.findInvitationMails.rows(context.db, { ids })
  const mailOf = new Map(mails.map((each) => [formatId('inv', each.id), each]))
  return page.of(
    rows,
    ({ workspace, id }) => `${workspace} ${uuidOf('inv', id)}`,
    (row) => {
      const { workspace_id, mail } = found(mailOf.get(row.id), 'invitation_not_found')
      return { ...row, workspace_id: formatId('ws', workspace_id), mail }
    },
  )
}

/** By number. */
export async function listIssuedInvoices(
  context: Own,
  query: schema.ListIssued,
): Promise<Paged<schema.IssuedInvoice>> {
  const { due = false } = query
  const page = readPage(context, query, `installation-invoices ${due}`)
  const asked = { after: Number(page.after ?? 0), isAll: !due, limit: page.limit + 1 }
  const rows = await pageOfIssued(context.db, asked)
  return page.of(
    rows,
    ({ counted }) => counted,
    ({ counted: _counted, ...row }) => row,
  )
}
