/**
 * Receives Stripe's events: outside the API and its credentials, as each event is signed, but on
 * the API's listener, which is publicly reachable.
 */
import type { FastifyInstance } from 'fastify'
import { invalid } from '../errors/errors.ts'

const PAYMENT_EVENTS_PATH = '/billing/stripe/events'

/** Stripe's events have some kilobytes. */
const BODY_LIMIT = 262_144

/** @param take returns whether the body's signature is valid */
export const paymentEventReceiver =
  (take: (body: Buffer, signature: string) => Promise<boolean>) =>
  (listener: FastifyInstance): void => {
    void listener.register(async (app) => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
        done(null, body)
      })
      app.post(PAYMENT_EVENTS_PATH, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
        const { body, headers } = request
        const signature = headers['stripe-signature']
        const isValid =
          Buffer.isBuffer(body) && typeof signature === 'string' && (await take(body, signature))
        if (!isValid) {
          throw invalid('/header/stripe-signature', 'is not a present signature of the body')
        }
        return reply.code(200).send()
      })
    })
  }
