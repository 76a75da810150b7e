/** Whom the service writes to of its own accord: those who look after a workspace. */
import type { Db } from '../../database/connect.ts'
import { findResponsibleAddresses } from './store.ts'

/** Addresses of owners and admins who can sign in. */
export const findResponsible = (db: Db, workspaceId: string): Promise<string[]> =>
  findResponsibleAddresses(db, workspaceId)
