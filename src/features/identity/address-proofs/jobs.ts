/** Background tasks of mailed links. */
import type { Services } from '../../../context.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { type LinkRequest, MAIL_LINK, mailLink } from './link-request.ts'

export const createAddressProofTasks = (
  services: Pick<Services, 'db' | 'keyring' | 'webConsole'>,
): Task[] => [{ name: MAIL_LINK, run: (asked) => mailLink(services, asked as LinkRequest) }]
