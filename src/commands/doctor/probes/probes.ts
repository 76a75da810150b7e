/** All probes in order; the last one revokes the device's access. */
import { connectProbes } from './connect-probes.ts'
import type { Probe } from './examination.ts'
import { revokeProbes } from './revoke-probes.ts'
import { topicProbes } from './topic-probes.ts'
import { transportProbes } from './transport-probes.ts'

export const probes: readonly Probe[] = [
  ...transportProbes,
  ...connectProbes,
  ...topicProbes,
  ...revokeProbes,
]
