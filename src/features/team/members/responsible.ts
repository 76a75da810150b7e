/** The recipients of the service's own mails about a workspace. */
import type { Db } from '../../../platform/database/connect.ts'
import { findResponsibleAddresses } from './store.ts'

/** Addresses of owners and admins who can sign in. */
export const findResponsible = (db: Db, workspaceId: string): Promise<string[]> =>
  findResponsibleAddresses(db, workspaceId)
