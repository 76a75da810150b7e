/** The state of the service for operators: health, brokers, background tasks, settings. */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { hostInUrl } from '../../../platform/lib/networks.ts'
import type { Context } from '../../../context.ts'
import { listTasks as tasksAfter } from '../../../platform/jobs/job.ts'
import { problemOfBridge } from '../../mqtt/bridges/broker-bridges.ts'
import { readPage } from '../../common/paging.ts'
import type { Paged } from '../../common/results.ts'
import { timestamp } from '../../common/shapes.ts'
import type * as schema from './schema.ts'

/** The facts about the process that the composition root has. */
export interface HealthSource {
  /** The same that `GET /status` of the operator port returns. */
  read: () => Promise<schema.Health>
  /** Called once with what reads the status of this process. */
  provide(status: () => Promise<schema.ServiceStatus>): void
}

export interface InstallationServices {
  health: HealthSource
  /** As `mooring config` prints them: without secrets. */
  settings: () => schema.Settings
}

type Own = Context<UserCaller>

const urlOf = ({
  protocol,
  host,
  port,
  path = '',
}: ReturnType<Own['mqttBrokers']>[number]['endpoints'][number]): string =>
  `${protocol}://${hostInUrl(host)}:${port}${path}`

export async function listBrokers({ db, mqttBrokers, brokers }: Own): Promise<schema.Brokers> {
  const bridged = new Set(brokers.present().flatMap(({ name, mqtt }) => (mqtt ? [name] : [])))
  const stateOf = async (name: string): Promise<string | null> => {
    if (!bridged.has(name)) return null
    const problem = await problemOfBridge(db, name)
    return problem === undefined ? 'no process holds it' : (problem ?? 'connected')
  }
  const items: schema.BrokerState[] = []
  for (const { name, kind, endpoints, boundSeconds } of mqttBrokers()) {
    const urls = endpoints.map(urlOf)
    items.push({
      name,
      kind,
      urls,
      revoke_bound_s: boundSeconds ?? null,
      bridge: await stateOf(name),
    })
  }
  return { items }
}

/** Latest first. Their inputs stay hidden: they may name people. */
export async function listTasks(
  context: Own,
  query: schema.ListTasks,
): Promise<Paged<schema.TaskView>> {
  const { status = null } = query
  const page = readPage(context, query, `installation-tasks ${status ?? ''}`)
  const rows = await tasksAfter.rows(context.autonomousDb, {
    status,
    before: page.after ?? null,
    limit: page.limit + 1,
  })
  return page.of(
    rows,
    ({ number }) => String(number),
    (row) => ({ ...row, due_at: timestamp(row.due_at) }),
  )
}
