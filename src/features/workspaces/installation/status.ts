/** The state of the installation, as far as the database has it. */
import type { Db } from '../../../platform/database/connect.ts'
import { type InstallationState, readState } from './store.ts'

/** Certificates of domains that end sooner are counted: ACME renews them long before. */
export const ENDING_DAYS = 14

export const installationState = (db: Db): Promise<InstallationState> =>
  readState.one(db, { days: ENDING_DAYS })
