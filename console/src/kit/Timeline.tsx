/** The events, newest first, by day. */
import type { ReactNode } from 'react'
import type { BadgeTone } from './Badge.tsx'
import { Skeleton, Unread } from './Note.tsx'
import { type ListQuery, More } from './Table.tsx'
import { timeOfDay } from './times.ts'
import css from './Timeline.module.css'
import { t } from '../i18n/frame.ts'
import { locale } from '../i18n/language.ts'

export interface Happening {
  key: string
  at: string
  tone: BadgeTone
  icon: ReactNode
  title: ReactNode
  /** The actor, and the origin. */
  detail?: ReactNode
  /** The remedy, and the written text. */
  body?: ReactNode
}

interface TimelineProps<Item> {
  label: string
  /** The data that could not be read, in a sentence. */
  of: string
  list: ListQuery<Item>
  view: (item: Item) => Happening
  empty: ReactNode
}

const dayOf = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

const DAY_MS = 86_400_000

/** Today and yesterday by their words. */
function dayName(at: number): string {
  const name = dayOf.format(at)
  if (name === dayOf.format(Date.now())) return t('Today')
  return name === dayOf.format(Date.now() - DAY_MS) ? t('Yesterday') : name
}

const Entry = ({ at, tone, icon, title, detail, body }: Happening) => (
  <li className={css.entry}>
    <time className={css.time} dateTime={at}>
      {timeOfDay(Date.parse(at))}
    </time>
    <span className={`${css.mark} ${css[tone]}`} aria-hidden="true">
      {icon}
    </span>
    <div className={css.text}>
      <div className={css.line}>
        <b>{title}</b>
        {detail !== undefined && <span className={css.detail}>{detail}</span>}
      </div>
      {body !== undefined && <div className={css.body}>{body}</div>}
    </div>
  </li>
)

export function Timeline<Item>({ label, of, list, view, empty }: TimelineProps<Item>) {
  const { items, error } = list
  if (items === undefined) {
    return error === null ? (
      <div className={css.loading} role="status" aria-label={t('Loading')}>
        <Skeleton width="40%" />
        <Skeleton width="60%" />
        <Skeleton width="50%" />
      </div>
    ) : (
      <Unread problem={error} of={of} onRetry={list.refetch} />
    )
  }
  if (items.length === 0 && !list.hasNextPage) return empty
  const days = Map.groupBy(items.map(view), ({ at }) => dayName(Date.parse(at)))
  return (
    <>
      <div role="region" aria-label={label}>
        {[...days].map(([day, happenings]) => (
          <section key={day} className={css.day} aria-label={day}>
            <h3>{day}</h3>
            <ol className={css.entries}>
              {happenings.map((each) => (
                <Entry {...each} key={each.key} />
              ))}
            </ol>
          </section>
        ))}
      </div>
      <More list={list} count={items.length} />
    </>
  )
}
