/** What runs in the background: the tasks of all features, and which of them repeat. */
import type { Config } from '../config.ts'
import type pg from 'pg'
import type { Database } from '../database/connect.ts'
import { createMailTasks, mailRepetitions } from '../features/mail/jobs.ts'
import { createMemberTasks, memberRepetitions } from '../features/members/jobs.ts'
import { createWorkspaceTasks, workspaceRepetitions } from '../features/workspaces/jobs.ts'
import type { Periodic, Task } from '../jobs/job.ts'
import { createQueue, type Queue } from '../jobs/queue.ts'
import type { Log } from '../log.ts'
import type { Mailer } from '../mail/port.ts'
import { createSmtpMailer } from '../mail/smtp.ts'
import type { AllServices } from '../operations.ts'

/** Each feature that has tasks exports `create…Tasks(services)` from its `jobs.ts`. */
function tasksOf(services: AllServices, mailer: Mailer | undefined, log: Log): Task[] {
  return [
    ...createMailTasks(services, mailer, (fields) => log('warn', 'mail is kept', fields)),
    ...createMemberTasks(services),
    ...createWorkspaceTasks(services),
  ]
}

/** In one process at a time, whichever is there; `timers.every` is for what each of them does. */
const periodic: readonly Periodic[] = [
  ...mailRepetitions,
  ...memberRepetitions,
  ...workspaceRepetitions,
]

function mailerOf({ smtpUrl: url, mailFrom: from }: Config): Mailer | undefined {
  return url === undefined || from === undefined ? undefined : createSmtpMailer({ url, from })
}

export const createBackground = (
  options: { config: Config; connection: pg.PoolConfig; isShared: boolean; log: Log },
  { database, services }: { database: Database; services: AllServices },
): Queue =>
  createQueue({
    connection: options.connection,
    db: database,
    prepared: options.config.databasePrepared === 'on',
    tasks: tasksOf(services, mailerOf(options.config), options.log),
    periodic,
    nodeId: services.nodeId,
    isShared: options.isShared,
    log: options.log,
  })
