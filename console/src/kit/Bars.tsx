/** A bar for each period, and a line for a limit. The figures are in a table next to it. */
import css from './Bars.module.css'

export interface Bar {
  key: string
  value: number
  /** With its period, for people. */
  title: string
  /** Its period has not ended. */
  isOpen?: boolean
}

interface BarsProps {
  /** A description for people who do not see it. */
  label: string
  bars: readonly Bar[]
  limit?: number | undefined
  /** The highest value, for people. */
  top?: string
  first: string
  last: string
}

const HEIGHT = 100
const GAP = 0.2
/** Fewer bars stand at the end, as wide as this many would be. */
const FEWEST = 12

export function Bars({ label, bars, limit, top, first, last }: BarsProps) {
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  // A limit far above would flatten the bars: it is left out, and stands in words.
  const isNear = limit !== undefined && limit <= highest * 3
  const height = isNear ? Math.max(highest, limit) : highest
  const slots = Math.max(FEWEST, bars.length)
  const isFull = bars.length === slots
  const heightOf = (value: number): number => (value / height) * HEIGHT
  return (
    <figure className={css.figure}>
      {top !== undefined && (
        <div className={css.ends} aria-hidden="true">
          {top}
        </div>
      )}
      <svg
        className={css.chart}
        viewBox={`0 0 ${slots} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {bars.map(({ key, value, title, isOpen }, at) => (
          <rect
            key={key}
            className={isOpen === true ? css.open : css.bar}
            x={slots - bars.length + at + GAP / 2}
            width={1 - GAP}
            y={HEIGHT - heightOf(value)}
            height={heightOf(value)}
          >
            <title>{title}</title>
          </rect>
        ))}
        {isNear && (
          <line
            className={css.limit}
            x1={0}
            x2={slots}
            y1={HEIGHT - heightOf(limit)}
            y2={HEIGHT - heightOf(limit)}
          />
        )}
      </svg>
      <figcaption className={css.ends}>
        <span>{isFull && first}</span>
        <span>{isFull || first === last ? last : `${first} – ${last}`}</span>
      </figcaption>
    </figure>
  )
}
