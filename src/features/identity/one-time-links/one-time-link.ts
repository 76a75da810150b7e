/** Links that people get by mail, or from the first start, and that work once. */
import type { Db } from '../../../platform/database/connect.ts'
import * as store from './store.ts'

/** Whether the link that the first start printed can still be used. */
export const isSetupOpen = (db: Db): Promise<boolean> => store.openSetup.any(db)
