/** Implements `mooring usage recompute`. */
import { recomputeUsage } from '../../features/metering/usage/ledger.ts'
import { withInstallation } from './session.ts'

export const recomputeAll = () => withInstallation({}, ({ db }) => recomputeUsage(db))
