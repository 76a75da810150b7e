/**
 * Requests for a mailed link. A request only enqueues a job: the response and the time it takes are
 * the same, whether or not the address has an account. The job decides what is mailed.
 */
import { canonicalEmail } from '../../../platform/access/email.ts'
import type { AnyContext, Services } from '../../../context.ts'
import { INSTALLATION, type Origin } from '../../../platform/record/event.ts'
import { recordBounded } from '../../../platform/record/counting.ts'
import { enqueue, type Task, taskKind, taskOf } from '../../../platform/jobs/job.ts'
import { mailPerson } from '../../mail/outbox/outbox.ts'
import { accountResource, findByEmail } from '../accounts/account.ts'
import { keyOfAccount } from '../attempts/attempt.ts'
import { issueLink, urlOf } from '../one-time-links/one-time-link.ts'

export const MAIL_LINK = taskKind<LinkRequest>('identity.mail_link')
/** A link that comes much later surprises more than it helps. */
const ATTEMPTS = 5

export interface LinkRequest {
  purpose: 'registration' | 'password_reset'
  /** In canonical form. */
  email: string
  requestId: string | null
  address: string | null
}

type MailServices = Pick<Services, 'db' | 'keyring' | 'webConsole'>

/**
 * Asks for a link, as often as passwords may be tried.
 * @throws Failure rate_limited
 */
export async function requestLink(
  context: AnyContext,
  purpose: LinkRequest['purpose'],
  given: string,
): Promise<void> {
  const { db, keyring, rateLimits, request } = context
  const email = canonicalEmail(given)
  const { address, id: requestId } = request
  const scope = `${purpose}:${keyOfAccount(keyring, email ?? given)}`
  await rateLimits.consumeFrom('auth', address, scope)
  request.showLimit(await rateLimits.consumeFrom('auth', address))
  if (email === undefined) return
  const asked = { purpose, email, requestId, address }
  await enqueue(db, MAIL_LINK, asked, { maxAttempts: ATTEMPTS })
}

const texts = {
  password_reset: {
    subject: 'Choose a new password',
    before: 'Somebody, perhaps you, wants to choose a new password for your account.',
    after: 'It works once, for one hour. Your second factor, if you have one, stays as it is.',
  },
  registration: {
    subject: 'Confirm your address',
    before: 'Somebody, perhaps you, wants to create an account with this address.',
    after: 'It works once, for 24 hours.',
  },
} as const

const UNEXPECTED = 'If it was not you, you need do nothing.'

/** Mails what a request asked for, if anything. An address gets a few of these mails in an hour. */
async function mailLink(services: MailServices, asked: LinkRequest): Promise<void> {
  const { purpose, email, requestId, address } = asked
  const { keyring, webConsole } = services
  await services.db.transaction(async (trx) => {
    const account = await findByEmail.first(trx, { email })
    const isRegistration = purpose === 'registration'
    if (!isRegistration && account?.status !== 'active') return
    // Only the owner of an address learns that it has an account.
    const isNotice = isRegistration && account !== undefined
    const link = { purpose, email, account: isNotice ? null : (account ?? null), isNotice }
    const token = await issueLink(keyring, trx, link)
    if (token === undefined) return
    if (isNotice) {
      await mailPerson(services, trx, email, 'You have an account', [
        'Somebody, perhaps you, wants to create an account with this address. There is one already.',
        `Sign in at ${webConsole.url()}, where you can also choose a new password.`,
        UNEXPECTED,
      ])
    } else {
      const { subject, before, after } = texts[purpose]
      const url = urlOf(webConsole, purpose, token)
      const lines = [before, 'Follow this link:', '', url, '', after, UNEXPECTED]
      await mailPerson(services, trx, email, subject, lines)
    }
    const origin: Origin = { actor: { kind: 'anonymous', id: null }, requestId, address }
    await recordBounded(trx, origin, {
      workspaceId: INSTALLATION,
      action: isRegistration ? 'account.registration_asked' : 'account.reset_asked',
      ...(account && { resource: accountResource(account.id) }),
    })
  })
}

export const createAddressProofTasks = (services: MailServices): Task[] => [
  taskOf(MAIL_LINK, (asked) => mailLink(services, asked)),
]
