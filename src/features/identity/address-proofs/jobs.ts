/** Background tasks of mailed links. */
import type { Services } from '../../../context.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { MAIL_LINK, mailLink } from './link-request.ts'

export const createAddressProofTasks = (
  services: Pick<Services, 'db' | 'keyring' | 'webConsole'>,
): Task[] => [taskOf(MAIL_LINK, (asked) => mailLink(services, asked))]
