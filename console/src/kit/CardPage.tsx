/** The frame of pages without navigation: signing in and what leads there. */
import { type ReactNode, useEffect } from 'react'
import css from './CardPage.module.css'

interface CardPageProps {
  title: string
  children: ReactNode
  footer?: ReactNode
}

export function CardPage({ title, children, footer }: CardPageProps) {
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
