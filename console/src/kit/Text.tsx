/** Text of machines: ids, times, code, secrets. */
import { Check, Copy } from 'lucide-react'
import { Fragment, lazy, type ReactNode, Suspense, useState, useSyncExternalStore } from 'react'
import { Button, IconButton, WithTip } from './Button.tsx'
import { Muted, Row, Small } from './Layout.tsx'
import { useCopy } from './clipboard.ts'
import { onTick, presentTime } from './clock.ts'
import css from './Text.module.css'
import { awayInWords } from './times.ts'
import { locale } from '../i18n/language.ts'
import { t } from '../i18n/frame.ts'

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [isCopied, act] = useCopy(text)
  const icon = isCopied ? <Check size={15} /> : <Copy size={15} />
  if (label === undefined) {
    return <IconButton label={isCopied ? t('Copied') : t('Copy')} icon={icon} onClick={act} />
  }
  return (
    <Button icon={icon} onClick={act}>
      {isCopied ? t('Copied') : label}
    </Button>
  )
}

const LONG = 24

interface IdProps {
  children: string
  full?: boolean
  /** Its end alone, where a column says what it is of. */
  isShort?: boolean
}

/** An id or another token: copied by a click, complete in its hint. */
export function Id({ children, full, isShort }: IdProps) {
  const [isCopied, act] = useCopy(children)
  const isTruncated = full !== true && children.length > LONG
  const start = isShort === true ? '' : children.slice(0, 12)
  const text = isTruncated ? `${start}…${children.slice(-6)}` : children
  return (
    <WithTip
      tip={isCopied ? t('Copied') : `${isTruncated ? `${children} · ` : ''}${t('click to copy')}`}
    >
      <button type="button" className={css.copyable} onClick={act}>
        <span className={full === true ? css.whole : css.cut}>{text}</span>
      </button>
    </WithTip>
  )
}

interface PieceProps {
  title?: string
  children: ReactNode
}

/** A word with hyphens or other marks in it, such as a device key: in one piece where it fits. */
export const Piece = ({ title, children }: PieceProps) => (
  <span className={css.token} title={title}>
    {children}
  </span>
)

/** Parts of a word, which may break between them. */
const Parts = ({ of }: { of: readonly string[] }) =>
  of.map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ))

/**
 * A topic or an id within text: in one piece where it fits the line, else broken behind a slash.
 */
export const Token = ({ children }: { children: string }) => (
  <code className={css.token}>
    <Parts of={children.split(/(?<=\/)/)} />
  </code>
)

/** A name such as `set_interval`: a long one breaks between its words. */
export const Name = ({ name }: { name: string }) => (
  <code>
    <Parts of={name.split(/(?<=_)/)} />
  </code>
)

/** Topics, addresses and ids: they break only where one of them fills the line. */
const TOKEN = /^\S*[/#_$]\S*$/

function saidPart(part: string, at: number) {
  if (/^`.+`$/.test(part)) return <code key={at}>{part.slice(1, -1)}</code>
  if (!TOKEN.test(part)) return part
  return (
    <span key={at} className={css.token}>
      {part}
    </span>
  )
}

interface SaidProps {
  /** Whether it is in the language of the console. */
  isTranslated?: boolean
  children: string
}

/** A sentence of the service: its code as code, and topics and ids in one piece. */
export const Said = ({ isTranslated = false, children }: SaidProps) => (
  <span lang={isTranslated ? undefined : 'en'}>
    {children.split(/(`[^`]+`|\s+)/).map(saidPart)}
  </span>
)

/** A name or an address on one line: truncated, and complete in its hint. */
export const Truncated = ({ children }: { children: string }) => (
  <span className={css.short} title={children}>
    {children}
  </span>
)

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

function Moment({ at }: { at: string }) {
  const then = Date.parse(at)
  const words = useSyncExternalStore(onTick, () => awayInWords(presentTime() - then))
  return (
    <time className={css.moment} dateTime={at} title={exact.format(then)}>
      {words}
    </time>
  )
}

/**
 * How long ago or until when, with the exact time as its hint. Lists have thousands of them: they
 * share a clock, change only when their words do, and leave the hint to the browser.
 */
export const Time = ({ at }: { at: string | null | undefined }) =>
  at === null || at === undefined ? <Muted>{t('never')}</Muted> : <Moment at={at} />

export const exactTime = (at: string): string => exact.format(Date.parse(at))

/** Where the time itself is the evidence: exactly, and how long ago that was. */
export const Timestamp = ({ at }: { at: string }) => (
  <>
    <span className={css.moment}>{exactTime(at)}</span>{' '}
    <Small>
      <Moment at={at} />
    </Small>
  </>
)

interface CodeProps {
  children: string
  label?: string
  /** A long line wraps instead of scrolling, for what has to be seen as a whole. */
  wraps?: boolean
}

export const Code = ({ children, label, wraps }: CodeProps) => (
  <div className={wraps === true ? `${css.code} ${css.wrapped}` : css.code}>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
    <pre className={css.scrolls} tabIndex={0} aria-label={label ?? t('Code')}>
      {children}
    </pre>
    <CopyButton text={children} />
  </div>
)

export const Json = ({ value, label }: { value: unknown; label?: string }) => (
  <Code {...(label !== undefined && { label })}>{JSON.stringify(value, null, 2)}</Code>
)

/** In a table or a fact: with spaces, so that lines break between its parts. */
export const JsonLine = ({ value }: { value: unknown }) => (
  <code>{JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')}</code>
)

const QrCode = lazy(() => import('./QrCode.tsx'))

/** A QR code. The code that computes it is loaded with the first one. */
export const Qr = (code: { text: string; label: string }) => (
  <Suspense fallback={<div className={css.qr} />}>
    <QrCode {...code} />
  </Suspense>
)

/** Gives a file to the browser. */
export function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export const downloadText = (name: string, text: string): void =>
  download(name, new Blob([text], { type: 'text/plain' }))

interface SecretProps {
  /** Names of environment variables and their values. */
  values: Readonly<Record<string, string>>
  /** File name of the download, without its ending. */
  name: string
  /** Text of a QR code, for a station that scans it. */
  qr?: string
}

/** Secrets that are shown once: to copy, as `.env`, as a file, as a QR code. */
export function Secrets({ values, name, qr }: SecretProps) {
  const [hasQr, setQr] = useState(false)
  const env = Object.entries(values)
    .map(([variable, value]) => `${variable}=${value}\n`)
    .join('')
  return (
    <div className={css.secret}>
      {Object.entries(values).map(([variable, value]) => (
        <div key={variable}>
          <div className={css.secretName}>{variable}</div>
          <Code label={variable} wraps>
            {value}
          </Code>
        </div>
      ))}
      <Row>
        <CopyButton text={env} label={t('Copy as .env')} />
        <Button onClick={() => downloadText(`${name}.env`, env)}>{t('Download')}</Button>
        {qr !== undefined && (
          <Button onClick={() => setQr(!hasQr)}>{hasQr ? t('Hide QR code') : t('QR code')}</Button>
        )}
      </Row>
      {hasQr && qr !== undefined && <Qr text={qr} label={t('The secret as a QR code')} />}
    </div>
  )
}

/** Lines as they were written: one of them may itself have line breaks. */
export const Lines = ({ of }: { of: readonly string[] }) =>
  of.flatMap((text) => text.split('\n')).map((line, at) => <div key={at}>{line}</div>)
