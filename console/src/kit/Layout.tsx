/** How things stand on a page. */
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { numberText } from './numbers.ts'
import css from './Layout.module.css'

interface Children {
  children: ReactNode
}

const names = (...parts: (string | false | undefined)[]): string => parts.filter(Boolean).join(' ')

/** One below the other. */
export const Stack = ({
  tight,
  narrow,
  children,
}: Children & { tight?: boolean; narrow?: boolean }) => (
  <div className={names(css.stack, tight && css.tight, narrow && css.narrow)}>{children}</div>
)

/** In a row, wrapping. */
export const Row = ({ children }: Children) => <div className={css.row}>{children}</div>

/** Choices in a row; a narrow window scrolls them sideways. */
export const Choices = ({ label, children }: Children & { label: string }) => (
  <div role="group" aria-label={label} className={css.choices}>
    {children}
  </div>
)

interface ItemProps extends Children {
  mark: ReactNode
  title: ReactNode
  action?: ReactNode
}

/** One of a list of things to do or to see: a mark, what it is, and an act at the end. */
export const Item = ({ mark, title, action, children }: ItemProps) => (
  <div className={css.item}>
    {mark}
    <div>
      <b>{title}</b>
      <div className={css.muted}>{children}</div>
    </div>
    {action ?? <span />}
  </div>
)

/** Items whose marks, texts and acts stand below each other. */
export const Items = ({ children }: Children) => <div className={css.items}>{children}</div>

/** The rest of a row, at its end. */
export const End = ({ children }: Children) => (
  <div className={names(css.row, css.end)}>{children}</div>
)

interface ColumnsProps extends Children {
  wideFirst?: boolean
  /** Where there is room for one column only, the last one stands above the first. */
  lastAbove?: boolean
  /** On a phone, the last one stands above all else of the page. */
  lastFirst?: boolean
}

export const Columns = ({ wideFirst, lastAbove, lastFirst, children }: ColumnsProps) => (
  <div
    className={names(
      css.columns,
      wideFirst && css.wideFirst,
      lastAbove && css.lastAbove,
      lastFirst && css.lastFirst,
    )}
  >
    {children}
  </div>
)
export const Cards = ({ children }: Children) => <div className={css.cards}>{children}</div>

interface PanelProps extends Children {
  title?: ReactNode
  aside?: ReactNode
  /** The part of its link behind the `#`. */
  id?: string
  /** Without space around its contents, for tables. */
  flush?: boolean
}

export const Panel = ({ title, aside, id, flush, children }: PanelProps) => (
  <section className={css.panel} id={id}>
    {title !== undefined && (
      <header className={css.panelHead}>
        <h2>{title}</h2>
        {aside !== undefined && <div className={css.aside}>{aside}</div>}
      </header>
    )}
    <div className={flush ? undefined : css.padded}>{children}</div>
  </section>
)

/** Names and their values. Undefined values are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className={css.facts}>
    {facts.map(([name, value]) =>
      value === undefined ? null : (
        <div key={name} className={css.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)

interface StatProps {
  label: string
  value: ReactNode
  note?: ReactNode
  /** It counts what went wrong. */
  bad?: boolean
  link?: LinkProps
}

export function Stat({ label, value, note, bad, link }: StatProps) {
  const inside = (
    <>
      <span className={css.statLabel}>{label}</span>
      <span className={names(css.number, bad && css.bad)}>
        {typeof value === 'number' ? numberText(value) : value}
      </span>
      {note !== undefined && <span className={names(css.muted, css.small)}>{note}</span>}
    </>
  )
  if (link === undefined) return <div className={css.stat}>{inside}</div>
  return (
    <Link className={css.stat} {...link}>
      {inside}
    </Link>
  )
}

export const Muted = ({ children }: Children) => <span className={css.muted}>{children}</span>
/** In place of a value that is not there: a narrow table leaves it out. */
export const None = () => (
  <span className={css.muted} data-none="">
    –
  </span>
)
export const Small = ({ children }: Children) => (
  <span className={names(css.muted, css.small)}>{children}</span>
)

/** On a line of its own; a phone has no room for it. */
export const OnWide = ({ children }: Children) => <span className={css.onWide}>{children}</span>

/** Why buttons above it are off, each reason once. */
export const Reasons = ({ of }: { of: readonly (string | undefined)[] }) =>
  [...new Set(of)].map((reason) => reason !== undefined && <Small key={reason}>{reason}</Small>)

interface FieldRowProps extends Children {
  /** The subject of the fields, for people who do not see the row. */
  label: string
  acts: ReactNode
}

/**
 * Short fields and a long one in a row, with acts at its end; below each other where it is narrow.
 */
export const FieldRow = ({ label, acts, children }: FieldRowProps) => (
  <fieldset className={css.fieldRow} aria-label={label}>
    {children}
    <div className={css.acts}>{acts}</div>
  </fieldset>
)
