/** How far something is, as a bar of coloured parts. */
import css from './Progress.module.css'

export interface ProgressPart {
  tone: 'ok' | 'bad' | 'off'
  count: number
}

interface ProgressProps {
  label: string
  /** The whole of the parts; 0 while it is unknown. */
  total: number
  parts: readonly ProgressPart[]
}

export function Progress({ label, total, parts }: ProgressProps) {
  const done = parts.reduce((sum, { count }) => sum + count, 0)
  const share = (count: number): number => (total === 0 ? 0 : (count / total) * 100)
  const starts = parts.map((_, at) =>
    share(parts.slice(0, at).reduce((sum, { count }) => sum + count, 0)),
  )
  return (
    <svg
      className={css.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(share(done))}
    >
      {parts.map(({ tone, count }, at) => (
        <rect
          key={tone}
          className={css[tone]}
          x={`${starts[at]}%`}
          width={`${share(count)}%`}
          height="100%"
        />
      ))}
    </svg>
  )
}
