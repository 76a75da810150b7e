/** The frame of pages without navigation: signing in and what leads there. */
import { type ReactNode, useEffect } from 'react'
import { returnLinkToken } from '../session/link-token.ts'
import { type Language, language, languages, setLanguage } from '../i18n/language.ts'
import { t } from '../i18n/shared.ts'
import css from './CardPage.module.css'

interface CardPageProps {
  title: string
  children: ReactNode
  footer?: ReactNode
  /** Another language is a reload, which would lose what this page shows. */
  isOnce?: boolean
}

const offered: readonly Language[] = ['en', 'de']

/** Each is named in itself, for people who do not understand the present one. */
const Languages = () => (
  <div className={css.languages} role="group" aria-label={t('Language')}>
    {offered.map((each) => (
      <button
        key={each}
        type="button"
        lang={each}
        aria-pressed={each === language}
        onClick={() => {
          if (each === language) return
          returnLinkToken()
          setLanguage(each)
        }}
      >
        {languages[each]}
      </button>
    ))}
  </div>
)

export function CardPage({ title, children, footer, isOnce }: CardPageProps) {
  useEffect(() => {
    document.title = `${title} · Mooring`
  }, [title])
  return (
    <main className={css.center}>
      <section className={css.card} aria-label={title}>
        <header className={css.cardHead}>
          <Mark />
          <h1>{title}</h1>
        </header>
        {children}
      </section>
      {footer !== undefined && <footer className={css.footer}>{footer}</footer>}
      {isOnce !== true && <Languages />}
    </main>
  )
}

const Mark = () => (
  <svg width="36" height="36" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="var(--accent)" />
    <g fill="none" stroke="var(--on-accent)" strokeWidth="2.4" strokeLinecap="round">
      <circle cx="16" cy="8.5" r="2.7" />
      <path d="M16 11.4v14.1M11 15h10M6.5 18.5c.6 4.4 4.6 7 9.5 7s8.900-2.600 9.500-7" />
    </g>
  </svg>
)
