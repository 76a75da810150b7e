/** Implements `mooring usage recompute`. */
import { recomputeUsage } from '../../features/usage/ledger.ts'
import { withInstallation } from './session.ts'

export const recomputeAll = () => withInstallation({}, ({ db }) => recomputeUsage(db))
