/**
 * Operations of a device with its HTTP token. Deployed firmware cannot be changed, so unknown
 * members of bodies and queries are ignored. A device rotates its credentials by an operation of
 * provisioning.
 */
import { operationGroup } from '../../../context.ts'
import { respond } from '../../../platform/http/reply.ts'
import { bindClaim, forgetOwner, getOwnConfig, getOwnDevice, showClaimCode } from './device.ts'
import { BindClaim, BoundClaim, OwnConfig, OwnDevice, ShowClaimCode, ShownClaim } from './schema.ts'

const operation = operationGroup({
  tag: 'Devices themselves',
  access: ['device'],
  unknownMembers: 'ignore',
})

export const deviceAuthOperations = [
  operation({
    id: 'bindClaim',
    route: 'POST /devices/auth/bind-claim',
    summary: 'Bind the calling device to the phone that shows a claim code',
    description:
      'If several devices send the same code, one succeeds. Repeating the call with the same code returns the same response. At most five wrong codes are accepted within ten minutes.',
    idempotency: 'own',
    body: BindClaim,
    returns: { 200: BoundClaim },
    fails: [
      'claim_code_malformed',
      'claim_code_unknown',
      'device_already_claimed',
      'claim_code_used',
      'claim_code_expired',
    ],
    example: { claim_code: 'pc_7K2M9QX4TB' },
    run: (context, { body }) => bindClaim(context, body),
  }),
  operation({
    id: 'getOwnDevice',
    route: 'GET /devices/auth/me',
    summary: 'Get the calling device',
    unapproved: 'allow',
    returns: { 200: OwnDevice },
    run: (context) => getOwnDevice(context),
  }),
  operation({
    id: 'getOwnConfig',
    route: 'GET /devices/auth/config',
    summary: 'Get the configuration of the calling device',
    description:
      "The default configuration of the device's template, overridden by the device's own members of the same name. To poll, send the `ETag` as `If-None-Match`: the response is 304 until something changes.",
    returns: { 200: OwnConfig },
    hasEtag: true,
    async run(context) {
      const own = await getOwnConfig(context)
      return respond(200, own, { revision: own.version })
    },
  }),
  operation({
    id: 'showClaimCode',
    route: 'POST /devices/auth/claim-codes',
    summary: 'Get a claim code for the calling device to show',
    description:
      'A phone claims the device with it: `POST /moid/devices/claim`. A device has one such code at a time; a new one replaces it.',
    body: ShowClaimCode,
    returns: { 201: ShownClaim },
    fails: ['device_already_claimed'],
    example: { expires_in: 900 },
    run: (context, { body }) => showClaimCode(context, body.expires_in),
  }),
  operation({
    id: 'forgetOwner',
    route: 'DELETE /devices/auth/claim',
    summary: 'Release the calling device, as a factory reset does',
    description:
      'The rights of the former owner end at once. The device keeps its credentials and must rotate them: `rotation_due` is true until then. The response is the same if the device is not bound.',
    bucket: 'safety',
    unapproved: 'allow',
    returns: { 204: null },
    run: (context) => forgetOwner(context),
  }),
]
