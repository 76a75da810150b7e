/** The action of a job, in words: lists and logs name jobs by it. */
import type { Job } from '../../../sdk/schema.ts'
import { inOneLine } from '../api/tags.ts'
import { t } from '../i18n/frame.ts'

const labels: Readonly<Record<Job['action'], string>> = {
  tag: t('Tag devices'),
  move_template: t('Move to a template'),
  suspend: t('Suspend devices'),
  resume: t('Resume devices'),
  approve: t('Approve devices'),
  reject: t('Reject devices'),
  reset_credentials: t('Reset credentials'),
  rotate: t('Ask for rotation'),
  decommission: t('Decommission devices'),
  delete: t('Delete devices'),
  command: t('Send a command'),
  publish_config: t('Publish configuration'),
}

const actionLabel = ({ action }: Pick<Job, 'action'>): string => labels[action]

export interface Tagging {
  set?: Readonly<Record<string, string>>
  remove?: readonly string[]
}

/** Names a job by its action, and the command or tags. */
export function titleOf(job: Pick<Job, 'action' | 'parameters'>): string {
  const action = actionLabel(job)
  if (job.action === 'command') {
    const { name = '' } = job.parameters as { name?: string }
    return name === '' ? action : t('{action}: {what}', { action, what: name })
  }
  if (job.action !== 'tag') return action
  const { set = {}, remove = [] } = job.parameters as Tagging
  const what = [
    Object.keys(set).length > 0 && inOneLine(set),
    remove.length > 0 && t('without {tags}', { tags: remove.join(', ') }),
  ]
  return t('{action}: {what}', { action, what: what.filter(Boolean).join(', ') })
}

/** @param label as the service names a job: `job: move template` */
export function jobLabel(label: string): string {
  const action = label.replace(/^job: /, '').replaceAll(' ', '_')
  return Object.hasOwn(labels, action) ? labels[action as Job['action']] : label
}
