/** The frame of all pages: navigation, the bar above, and the pane with the calls. */
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Code2, Menu as MenuIcon, Search, Server } from 'lucide-react'
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { call } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { useLiveWorkspace, useWatch } from '../live/live.ts'
import { setTheme, theme, type Theme } from '../session/preferences.ts'
import { useLeaving } from '../session/leaving.ts'
import { useOperator } from '../session/operator.ts'
import { useMaybeWorkspace, usePathSlug, useWorkspaces } from '../session/workspace.tsx'
import { ApiPane } from './ApiPane.tsx'
import { Button, IconButton } from './Button.tsx'
import { Trouble } from './Trouble.tsx'
import { Hints, Menu, type MenuItem, say } from './Overlay.tsx'
import { type Floating, useKeys } from './keys.ts'
import { UnreadTogether } from './Note.tsx'
import { SaidOnce } from './SaidOnce.tsx'
import { below, installationNavigation, navigation, ownNavigation } from './navigation.tsx'
import css from './Shell.module.css'
import { t } from '../i18n/frame.ts'

const loadPalette = () => import('./Palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))
const KeyHelp = lazy(async () => ({ default: (await loadPalette()).KeyHelp }))

interface Frame {
  setTrail: (trail: readonly Crumb[]) => void
}
export interface Crumb {
  label: string
  to?: string
}
const Framed = createContext<Frame | null>(null)

/** A finger sees no hint of the browser: times and truncated names show theirs when tapped. */
function showHint({ target }: MouseEvent): void {
  if (!window.matchMedia('(hover: none)').matches || !(target instanceof Element)) return
  const hinted = target.closest<HTMLElement>('time[title], span[title]')
  // A link or a button does what it is for.
  if (hinted !== null && hinted.closest('a, button') === null) say(hinted.title)
}

function useTouchHints(): void {
  useEffect(() => {
    document.addEventListener('click', showHint)
    return () => document.removeEventListener('click', showHint)
  }, [])
}

function WorkspaceSwitch({ slug }: { slug: string | undefined }) {
  const { data } = useWorkspaces()
  const navigate = useNavigate()
  const items: MenuItem[] = (data?.items ?? []).slice(0, 20).map((each) => ({
    label: each.name,
    onSelect: () => void navigate({ to: below(each.slug, '') }),
  }))
  const all = { label: t('All workspaces'), onSelect: () => void navigate({ to: '/workspaces' }) }
  const name = data?.items.find((each) => each.slug === slug)?.name ?? slug ?? 'Mooring'
  return (
    <Menu
      items={[...items, all]}
      trigger={
        <button type="button" className={css.workspace}>
          <span className={css.initial} aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span>{name}</span>
          <span className="visually-hidden">{t(', switch workspace')}</span>
          <ChevronsUpDown size={14} aria-hidden="true" />
        </button>
      }
    />
  )
}

interface SideProps {
  slug: string | undefined
  isOpen: boolean
  onNavigate: () => void
}

/** The link to the installation, for operators: one link elsewhere, all pages within it. */
function InstallationLinks({ onNavigate }: Pick<SideProps, 'onNavigate'>) {
  const { isOperator } = useOperator()
  const isWithin = useLocation({ select: ({ pathname }) => pathname.startsWith('/installation') })
  if (!isOperator) return null
  const one = { label: t('Installation'), icon: <Server size={16} />, to: '/installation' }
  return (
    <div>
      <div className={css.group}>{isWithin ? t('Installation') : t('Operator')}</div>
      {(isWithin ? installationNavigation : [one]).map(({ label, icon, to }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/installation', includeSearch: false }}
          onClick={onNavigate}
        >
          {icon}
          {label}
        </Link>
      ))}
    </div>
  )
}

const Side = ({ slug, isOpen, onNavigate }: SideProps) => (
  <nav className={css.side} aria-label={t('Main')} data-open={isOpen || undefined}>
    <WorkspaceSwitch slug={slug} />
    {(slug === undefined ? ownNavigation : navigation).map(({ group, entries }) => (
      <div key={group ?? 'top'}>
        {group !== undefined && <div className={css.group}>{group}</div>}
        {entries.map(({ label, icon, path }) => (
          <Link
            key={path}
            to={slug === undefined ? path : below(slug, path)}
            activeOptions={{ exact: path === '' || path === '/account', includeSearch: false }}
            onClick={onNavigate}
          >
            {icon}
            {label}
          </Link>
        ))}
      </div>
    ))}
    <InstallationLinks onNavigate={onNavigate} />
  </nav>
)

/** By the present theme. */
const themes: Readonly<Record<Theme, { next: Theme; label: string }>> = {
  system: { next: 'light', label: t('Colours: system, switch to light') },
  light: { next: 'dark', label: t('Colours: light, switch to dark') },
  dark: { next: 'system', label: t('Colours: dark, switch to system') },
}

/** The initials of the first and the last word, for narrow windows. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends
    .map((word = '') => String.fromCodePoint(word.codePointAt(0) ?? 32).toUpperCase())
    .join('')
}

function AccountMenu() {
  const { data } = useRead('getMe')
  const leave = useLeaving()
  const navigate = useNavigate()
  const [present, setPresent] = useState(theme())
  const { next, label } = themes[present]
  const signOut = async (): Promise<void> => {
    await call('closeConsoleSession').catch(() => null)
    await leave('/sign-in')
  }
  const go = (to: string) => () => void navigate({ to })
  const name = data?.name || data?.email.split('@')[0] || t('Account')
  return (
    <Menu
      trigger={
        <Button>
          <span className={css.who}>{name}</span>
          <span className={css.initials} aria-hidden="true">
            {initialsOf(name)}
          </span>
        </Button>
      }
      items={[
        { label: t('Account'), onSelect: go('/account') },
        { label: t('Security'), onSelect: go('/account/security') },
        { label: t('Sessions'), onSelect: go('/account/sessions') },
        {
          label,
          onSelect: () => {
            setTheme(next)
            setPresent(next)
          },
        },
        { label: t('Sign out'), onSelect: () => void signOut() },
      ]}
    />
  )
}

const Trail = ({ trail }: { trail: readonly Crumb[] }) => (
  <ol className={css.crumbs} aria-label={t('Breadcrumb')}>
    {trail.map(({ label, to }, at) => (
      <li key={label}>
        {at > 0 && <span aria-hidden="true">/ </span>}
        {to === undefined ? label : <Link to={to}>{label}</Link>}
      </li>
    ))}
  </ol>
)

export function Shell({ children }: { children: ReactNode }) {
  const workspace = useMaybeWorkspace()
  const slug = usePathSlug()
  const [trail, setTrail] = useState<readonly Crumb[]>([])
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [hasPane, setPane] = useState(false)
  const [floating, setFloating] = useState<Floating | null>(null)
  const frame = useMemo(() => ({ setTrail }), [])
  useKeys(slug, setFloating, floating !== null)
  useLiveWorkspace(workspace?.id)
  useWatch('fleet')
  useTouchHints()
  useWatch('workspace')
  return (
    <Framed value={frame}>
      <Hints>
        <a className={css.skip} href="#page">
          {t('Skip to the page')}
        </a>
        <div className={css.app}>
          <Side slug={slug} isOpen={isMenuOpen} onNavigate={() => setMenuOpen(false)} />
          <div className={css.main}>
            <header className={css.bar}>
              <span className={css.menuButton}>
                <IconButton
                  label={t('Menu')}
                  icon={<MenuIcon size={18} />}
                  aria-expanded={isMenuOpen}
                  onClick={() => setMenuOpen(!isMenuOpen)}
                />
              </span>
              <Trail trail={trail} />
              <button type="button" className={css.search} onClick={() => setFloating('palette')}>
                <Search size={15} aria-hidden="true" />
                <span>{t('Search or jump to…')}</span>
                <kbd>{t('Ctrl K')}</kbd>
              </button>
              <Button
                icon={<Code2 size={15} />}
                aria-expanded={hasPane}
                title={t('API calls of this page')}
                onClick={() => setPane(!hasPane)}
              >
                {t('API')}
              </Button>
              <AccountMenu />
            </header>
            <Trouble />
            <div className={hasPane ? `${css.body} ${css.withPane}` : css.body}>
              <main id="page" tabIndex={-1}>
                {children}
              </main>
              {hasPane && <ApiPane onClose={() => setPane(false)} />}
            </div>
          </div>
        </div>
        <Suspense>
          {floating === 'palette' && <Palette slug={slug} onClose={() => setFloating(null)} />}
          {floating === 'keys' && <KeyHelp onClose={() => setFloating(null)} />}
        </Suspense>
      </Hints>
    </Framed>
  )
}

export interface PageProps {
  title: string
  /** Next to the title: a count, a status. */
  note?: ReactNode
  actions?: ReactNode
  /** The purpose of the page, in a sentence. */
  about?: ReactNode
  /** The pages between the workspace and this page. */
  trail?: readonly Crumb[]
  children: ReactNode
}

/** The title of a page, and its content. */
export const PageBody = ({ title, note, actions, about, children }: Omit<PageProps, 'trail'>) => (
  <div className={css.page}>
    <div className={css.head}>
      <h1>{title}</h1>
      {note !== undefined && <div className={css.note}>{note}</div>}
      {actions !== undefined && actions !== false && <div className={css.actions}>{actions}</div>}
      {about !== undefined && <p className={css.about}>{about}</p>}
    </div>
    {children}
  </div>
)

/** Puts the title into the window, and the path that leads to the page into the bar. */
export function usePlace(title: string, trail: readonly Crumb[]): void {
  const frame = use(Framed)
  const path = JSON.stringify(trail)
  useEffect(() => {
    document.title = `${title} · Mooring`
    frame?.setTrail(JSON.parse(path) as Crumb[])
  }, [frame, path, title])
}

const INSTALLATION = '/installation'

/** None of what is elsewhere. */
function installationCrumbs(path: string): readonly Crumb[] {
  if (path === INSTALLATION) return [{ label: t('Installation') }]
  if (path.startsWith(INSTALLATION)) return [{ label: t('Installation'), to: INSTALLATION }]
  return []
}

/** A page: its title in the window, the path that leads to it, its actions, its content. */
export function Page({ title, note, actions, about, trail, children }: PageProps) {
  const workspace = useMaybeWorkspace()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const root = workspace
    ? [{ label: workspace.name, to: below(workspace.slug, '') }]
    : installationCrumbs(path).filter(({ label }) => label !== title)
  usePlace(title, [...root, ...(trail ?? []), { label: title }])
  return (
    <SaidOnce>
      <PageBody {...{ title, note, actions, about }}>
        <UnreadTogether whole={t('Parts of this page')} />
        {children}
      </PageBody>
    </SaidOnce>
  )
}
