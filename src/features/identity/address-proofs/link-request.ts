/**
 * Requests for a mailed link. A request only enqueues a job: the response and the time it takes are
 * the same, whether or not the address has an account. The job decides what is mailed.
 */
import { canonicalEmail } from '../../../platform/access/email.ts'
import { type AnyContext, originOf, type Services } from '../../../context.ts'
import { INSTALLATION, type Origin } from '../../../platform/record/event.ts'
import { recordBounded } from '../../../platform/record/counting.ts'
import { enqueue, type Task, taskKind, taskOf } from '../../../platform/jobs/job.ts'
import type { Transaction } from '../../../platform/database/connect.ts'
import { queueMail } from '../../mail/outbox/outbox.ts'
import { accountResource, findByEmail, type SignInRow } from '../accounts/account.ts'
import { keyOfAccount } from '../attempts/attempt.ts'
import { countNotice, issueLink, urlOf } from '../one-time-links/one-time-link.ts'

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
    subject: 'Choose a new password (Mooring)',
    before: 'Somebody, perhaps you, wants to choose a new password for your account.',
    after: 'It works once, for one hour. Your second factor, if you have one, stays as it is.',
  },
  registration: {
    subject: 'Confirm your address (Mooring)',
    before: 'Somebody, perhaps you, wants to create an account with this address.',
    after: 'It works once, for 24 hours.',
  },
} as const

const UNEXPECTED = 'If it was not you, you need do nothing.'

async function mailTheLink(
  { keyring, webConsole }: MailServices,
  trx: Transaction,
  { purpose, email }: LinkRequest,
  account: SignInRow | undefined,
): Promise<boolean> {
  const token = await issueLink(keyring, trx, { purpose, email, account: account ?? null })
  if (token === undefined) return false
  const { subject, before, after } = texts[purpose]
  const link = urlOf(webConsole, purpose, token)
  const text = [before, 'Follow this link:', '', link, '', after, UNEXPECTED, ''].join('\n')
  await queueMail({ keyring }, trx, { workspaceId: INSTALLATION, to: email, subject, text })
  return true
}

/** The address has an account: only its owner learns that. */
async function mailThatKnown(
  { keyring, webConsole }: MailServices,
  trx: Transaction,
  { purpose, email }: LinkRequest,
): Promise<boolean> {
  if (!(await countNotice(keyring, trx, { purpose, email, account: null }))) return false
  const text = [
    'Somebody, perhaps you, wants to create an account with this address. There is one already.',
    `Sign in at ${webConsole.url()}, where you can also choose a new password.`,
    UNEXPECTED,
    '',
  ].join('\n')
  const subject = 'You have an account (Mooring)'
  await queueMail({ keyring }, trx, { workspaceId: INSTALLATION, to: email, subject, text })
  return true
}

/** Mails what a request asked for, if anything. An address gets a few of these mails in an hour. */
async function mailLink(services: MailServices, asked: LinkRequest): Promise<void> {
  const { purpose, email, requestId, address } = asked
  await services.db.transaction(async (trx) => {
    const account = await findByEmail.first(trx, { email })
    const isRegistration = purpose === 'registration'
    if (!isRegistration && account?.status !== 'active') return
    const isMailed =
      isRegistration && account !== undefined
        ? await mailThatKnown(services, trx, asked)
        : await mailTheLink(services, trx, asked, account)
    if (!isMailed) return
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

/** The origin of a request whose account is proven by a link. */
export const originAs = (context: AnyContext, id: string): Origin => ({
  ...originOf(context),
  actor: { kind: 'user', id },
})
