/** Mosquitto with its dynamic security plugin, which stores passwords and rules. */
import type { BrokerKind } from '../broker-kind.ts'
import { BOUND_SECONDS, createMosquitto } from './admin.ts'

export const mosquittoDynsec: BrokerKind = {
  name: 'mosquitto-dynsec',
  hooks: [],
  admin: { schemes: ['mqtt', 'mqtts'], open: createMosquitto },
  boundSeconds: BOUND_SECONDS,
  advice: {
    authentication: 'Set allow_anonymous false, and load the dynamic security plugin.',
    client_id: 'Give each client its clientid; this service does so when it creates clients.',
    topic_rules:
      'Set the default ACL access of all four kinds to deny (mosquitto_ctrl dynsec setDefaultACLAccess).',
    system_topics: 'Give devices no role that allows $SYS or $CONTROL.',
    tls_versions: 'Set tls_version tlsv1.2.',
  },
}
