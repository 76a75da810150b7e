/** What the console has to know before anyone has signed in. */
import type { Context } from '../../../context.ts'
import { isSetupOpen } from '../one-time-links/one-time-link.ts'
import type { ConsoleConfig } from './schema.ts'

export async function getConsoleConfig({ db, webConsole }: Context): Promise<ConsoleConfig> {
  const { version, registration, hasMail } = webConsole
  return { version, registration, mail: hasMail, setup_open: await isSetupOpen(db) }
}
