/** The effects of a change. */
import { diffJson } from '../api/diff.ts'
import css from './Diff.module.css'
import { t } from '../i18n/frame.ts'

const marks = { same: '  ', added: '+ ', removed: '− ' }

export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const lines = diffJson(before, after)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <pre className={css.diff} tabIndex={0} aria-label={t('Changes')}>
      {lines.map(({ kind, text }, at) => (
        <span key={at} className={[css.line, css[kind]].filter(Boolean).join(' ')}>
          {marks[kind]}
          {text}
        </span>
      ))}
    </pre>
  )
}
