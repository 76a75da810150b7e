/** Notes within a page: hints, refusals in words, empty places and what is still loading. */
import { AlertTriangle, Check, CheckCircle2, Copy, Info, OctagonAlert } from 'lucide-react'
import { createContext, type ReactNode, type Ref, use, useEffect, useState } from 'react'
import type { Problem } from '../api/problem.ts'
import { useLiveStatus } from '../live/status.ts'
import { Button, IconButton, LinkButton } from './Button.tsx'
import { useCopy } from './clipboard.ts'
import css from './Note.module.css'
import { useSaidAbove, useSaidTogether } from './SaidOnce.tsx'
import { rich, t } from '../i18n/shared.ts'

export type Tone = 'info' | 'ok' | 'warn' | 'bad'

const icons = {
  info: <Info size={16} aria-hidden="true" />,
  ok: <CheckCircle2 size={16} aria-hidden="true" />,
  warn: <AlertTriangle size={16} aria-hidden="true" />,
  bad: <OctagonAlert size={16} aria-hidden="true" />,
}

interface NoteProps {
  ref?: Ref<HTMLDivElement>
  tone?: Tone
  title?: ReactNode
  action?: ReactNode
  children?: ReactNode
}

const IsAnnounced = createContext(false)

/** Its content is read aloud whenever it changes, as a whole. */
export const Announced = ({ children }: { children: ReactNode }) => (
  <div className={css.announced} aria-live="polite" aria-atomic="true">
    <IsAnnounced value>{children}</IsAnnounced>
  </div>
)

export function Note({ ref, tone = 'info', title, action, children }: NoteProps) {
  const isAnnounced = use(IsAnnounced)
  return (
    <div
      ref={ref}
      className={`${css.note} ${css[tone]}`}
      data-note={tone}
      role={tone === 'bad' && !isAnnounced ? 'alert' : 'note'}
    >
      <span className={css.icon}>{icons[tone]}</span>
      <div>
        {title !== undefined && <b>{title}</b>}
        {children !== undefined && <div className={css.detail}>{children}</div>}
      </div>
      {action ?? <span />}
    </div>
  )
}

interface CountdownProps {
  seconds: number
  /** Whether that happens by itself. */
  isTriedAgain: boolean
}

/** Counts the seconds down until a call may be repeated, or is. */
function Countdown({ seconds, isTriedAgain }: CountdownProps) {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000)
    return () => clearInterval(timer)
  }, [])
  if (isTriedAgain) {
    return (
      <> {left > 0 ? t('It is tried again in {left} s.', { left }) : t('It is tried again.')}</>
    )
  }
  return <> {left > 0 ? t('Try again in {left} s.', { left }) : t('Try again now.')}</>
}

/** The data that support asks for, copied by a click. */
function Trace({ id }: { id: string }) {
  const [isCopied, copy] = useCopy(id)
  const whole = (
    <span>
      <code>{id}</code>
      {isCopied ? <Check size={12} role="img" aria-label={t('Copied')} /> : <Copy size={12} />}
    </span>
  )
  return (
    <button type="button" className={css.trace} title={t('Copy the trace id')} onClick={copy}>
      {rich('Trace id {id}', { id: whole })}
    </button>
  )
}

interface ProblemProps {
  ref?: Ref<HTMLDivElement>
  problem: Problem
  /** The data that could not be read, where a page reads several things. */
  of?: string | undefined
  /** Its text is shown where it is wrong. */
  isMarked?: boolean
  /** The present effects, in sentences. */
  meanwhile?: string | undefined
  onRetry?: () => unknown
}

/** It keeps the focus while it works. */
function Retry({ onRetry }: Required<Pick<ProblemProps, 'onRetry'>>) {
  const [isBusy, setBusy] = useState(false)
  const retry = async (): Promise<void> => {
    setBusy(true)
    await onRetry()
    setBusy(false)
  }
  return (
    <Button busy={isBusy} onClick={() => void retry()}>
      {t('Try again')}
    </Button>
  )
}

/** Once the stream is back, all that could not be read is read again. */
const AlsoByItself = () =>
  useLiveStatus().retryAt !== undefined && (
    <> {t('It is tried again by itself once live updates are back.')}</>
  )

/** Operators are not sent to the operator. */
function adviceOf({ code, advice }: Problem): string | undefined {
  const isOperators = window.location.pathname.startsWith('/console/installation')
  return code === 'internal_error' && isOperators
    ? t('Search the log of the service for this trace id.')
    : advice
}

/** A refusal in words, with its code, the page that explains it and the trace id. */
export function ProblemNote({
  ref,
  problem,
  of,
  isMarked = false,
  meanwhile,
  onRetry,
}: ProblemProps) {
  const { code, title, detail, lang, traceId } = problem
  const advice = adviceOf(problem)
  const retryAfter = meanwhile === undefined ? problem.retryAfter : undefined
  const isTriedAgain = onRetry !== undefined && problem.isPassing
  // Another try is refused again, or is made anyway.
  const isFinal = code === 'permission_denied' || code.endsWith('not_found') || isTriedAgain
  const retry = onRetry && !isFinal && <Retry onRetry={onRetry} />
  const head = of === undefined ? title : t('{what} could not be read', { what: of })
  const isFactor = code === 'mfa_required'
  // If something does not exist, the title in the reader's language is enough.
  const isSaid = lang !== undefined && code.endsWith('not_found')
  const action = isFactor ? (
    <LinkButton to="/account/security">{t('Set up a second factor')}</LinkButton>
  ) : (
    retry
  )
  return (
    <Note ref={ref} tone="bad" title={isMarked ? t('Check what is marked.') : head} action={action}>
      {/* In another language, the title says what to do. */}
      {of !== undefined && lang !== undefined && <div>{title}</div>}
      {isFactor && t('Set one up in your account, or sign in again with yours.')}
      {!isMarked && !isFactor && !isSaid && <span lang={lang}>{detail}</span>}
      {meanwhile !== undefined && <> {meanwhile}</>}
      {retryAfter !== undefined && (
        <Countdown key={traceId} seconds={retryAfter} isTriedAgain={isTriedAgain} />
      )}
      {retry !== undefined && retry !== false && meanwhile === undefined && <AlsoByItself />}
      {/* Waiting is enough, mostly: whom to call comes last. */}
      {advice !== undefined && !isMarked && ` ${advice}`}
      {code !== 'offline' && code !== 'browser' && (
        <div className={css.reference} aria-live="off">
          <a href={`/api/v1/errors/${code}`} target="_blank" rel="noreferrer">
            {rich('What this means: {code}', { code: <code>{code}</code> })}
          </a>
          {traceId !== undefined && <Trace id={traceId} />}
        </div>
      )}
    </Note>
  )
}

interface UnreadProps {
  problem: Problem
  of: string
  onRetry: () => unknown
  /** Said above the parts of the page; the part here says itself that it is missing. */
  isAbove?: boolean | undefined
}

/**
 * The data that could not be read; where other reads have failed in the same way, it is said above.
 */
export function Unread({ problem, of, onRetry, isAbove = false }: UnreadProps) {
  const isSaid = useSaidAbove({ problem, of, retry: onRetry, isAbove })
  if (!isSaid) return <ProblemNote problem={problem} of={of} onRetry={onRetry} />
  if (isAbove) return null
  return (
    <div className={css.either} data-note>
      {t('Not read: see above.')}
    </div>
  )
}

/** The failure of several parts below. @param whole what they are parts of */
export const UnreadTogether = ({ whole }: { whole: string }) =>
  useSaidTogether().map(({ reason, problem, of = whole, retry }) => (
    <ProblemNote key={reason} problem={problem} of={of} onRetry={retry} />
  ))

interface EmptyProps {
  title: string
  /** One sentence about its purpose. */
  children: ReactNode
  action?: ReactNode
  /** A command that does the same. */
  command?: string
}

function Command({ children }: { children: string }) {
  const [isCopied, copy] = useCopy(children)
  return (
    <div className={css.command}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre tabIndex={0} aria-label={t('Command')}>
        {children}
      </pre>
      <IconButton
        label={isCopied ? t('Copied') : t('Copy')}
        icon={isCopied ? <Check size={15} /> : <Copy size={15} />}
        onClick={copy}
      />
    </div>
  )
}

export const Empty = ({ title, children, action, command }: EmptyProps) => (
  <div className={css.empty}>
    <h2>{title}</h2>
    <p>{children}</p>
    {action !== undefined && <div className={css.act}>{action}</div>}
    {command !== undefined && <Command>{command}</Command>}
  </div>
)

interface SkeletonProps {
  width?: string
  /** Whether it stands for words within a line. */
  inline?: boolean
}

export const Skeleton = ({ inline = false, width = inline ? '9ch' : '60%' }: SkeletonProps) => (
  <svg
    className={css.skeleton}
    data-inline={inline || undefined}
    width={width}
    height="12"
    aria-hidden="true"
  />
)

export const Loading = () => (
  <div role="status" aria-label={t('Loading')}>
    <Skeleton width="40%" />
  </div>
)

interface PendingProps extends Pick<UnreadProps, 'of' | 'isAbove'> {
  query: PendingQuery
}

/** The state of a read until it has its data: its refusal, or that it is loading. */
export function Pending({ query, of, isAbove }: PendingProps) {
  if (query.error !== null) {
    return <Unread problem={query.error} of={of} onRetry={query.refetch} isAbove={isAbove} />
  }
  return <Loading />
}

export interface PendingQuery {
  error: Problem | null
  refetch: () => unknown
}
