/** How far a rotation of one device is, in words: known facts, and unknown ones. */
import type { DeviceCredential, DeviceCredentialList, Job } from '../../../../sdk/schema.ts'
import { t } from './translations.ts'

export interface Stage {
  tone: 'info' | 'ok' | 'warn' | 'bad'
  title: string
  text?: string
  /** Nothing is known to have reached the device yet. */
  isToFetch?: boolean
  /** Nothing is left to be done or waited for. */
  isOver?: boolean
}

export function stageOfJob({ status, counts }: Job): Stage | undefined {
  if (counts.failed > 0 || status === 'failed' || status === 'cancelled') {
    return {
      tone: 'bad',
      title: t('It was not asked to rotate its credentials.'),
      text: t('The job says why.'),
    }
  }
  return counts.succeeded > 0
    ? undefined
    : { tone: 'info', title: t('It is being asked to rotate its credentials.') }
}

/**
 * Once the device was asked, or is to be asked when it connects.
 * @param passwords those that are valid and were issued since
 * @param storing names of the brokers that keep passwords, and do not say which one is used
 * @param timeText shows a time
 * @param isOffline the device is not connected
 */
export function stageOfPasswords(
  passwords: readonly DeviceCredential[],
  storing: string,
  timeText: (at: string) => string,
  isOffline = false,
): Stage {
  const works = t('The old ones work until it has used the new ones.')
  // A reset ends what a rotation has issued, so what else is valid was fetched later.
  const fetched = passwords.filter(({ issued_by }) => issued_by !== 'reset')
  if (fetched.length === 0) {
    return passwords.length === 0
      ? {
          tone: 'info',
          title: isOffline
            ? t('It is offline, and is asked to fetch new credentials when it connects.')
            : t('It has been asked to fetch new credentials.'),
          text: works,
        }
      : {
          tone: 'warn',
          isOver: passwords.some(({ confirmed_at }) => confirmed_at !== null),
          title: t('Its credentials were reset meanwhile.'),
          text: t('The rotation is not due any more. The device needs the password of the reset.'),
        }
  }
  const done = fetched.find(({ confirmed_at }) => confirmed_at !== null)?.confirmed_at
  if (typeof done === 'string') {
    return {
      tone: 'ok',
      title: t('Rotation done at {time}.', { time: timeText(done) }),
      text: t('It has connected with the new password; the old one has ended.'),
    }
  }
  const unseen = t(
    'On {brokers} the new password has replaced the old one, and no use of it is reported here. If the device is connected there again, as “Connections” shows, the rotation is done; if it stays away, reset its credentials.',
    { brokers: storing },
  )
  const title = t('It has fetched new credentials.')
  return { tone: 'info', title, text: storing === '' ? works : unseen }
}

/**
 * Where no job is known that asked for it.
 * @returns undefined if no rotation is pending
 */
export function stageOfDue(
  { items, rotation_due }: DeviceCredentialList,
  storing: string,
  timeText: (at: string) => string,
): Stage | undefined {
  const fetched = items.filter(({ kind, status }) => kind === 'mqtt' && status === 'pending')
  if (fetched.length > 0) return stageOfPasswords(fetched, storing, timeText)
  if (!rotation_due) return undefined
  return {
    isToFetch: true,
    tone: 'info',
    title: t('A rotation is due.'),
    text: t(
      'The device fetches new credentials the next time it asks the service. The old ones work until it has used the new ones.',
    ),
  }
}
