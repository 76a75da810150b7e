/**
 * The requests of NanoMQ 0.22 to its hooks, and its reading of responses (auth_http.c of NanoNNG).
 */
import { ADDRESS, type Contract, type HookResponse } from '../hooks/contract.ts'

const nanomqAllows = ({ status }: HookResponse): boolean => status === 200

export const contract: Contract = {
  kind: 'nanomq',
  needsDeny: false,
  scheme: 'bearer',
  allowsByStatus: true,
  connect: async (ask, { username, password, clientId }) =>
    nanomqAllows(
      await ask('nanomq/auth', { clientid: clientId, username, password, ipaddress: ADDRESS }),
    ),
  publish: async (ask, { username, clientId }, topic) =>
    nanomqAllows(await ask('nanomq/acl', { clientid: clientId, username, access: '2', topic })),
  subscribe: async (ask, { username, clientId }, topic) =>
    nanomqAllows(await ask('nanomq/acl', { clientid: clientId, username, access: '1', topic })),
  probe: { path: 'nanomq/auth', body: { username: 'u', password: 'p', clientid: 'u' } },
  letsIn: nanomqAllows,
}
