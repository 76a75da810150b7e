/** The workspace that the path of a page names, for the pages below it. */
import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LinkButton } from '../kit/Button.tsx'
import { navigation } from '../kit/navigation.tsx'
import { Empty, Pending, type PendingQuery } from '../kit/Note.tsx'
import { PageBody, usePlace } from '../kit/Shell.tsx'
import { setLastWorkspace } from './preferences.ts'
import { Present, useMaybeWorkspace, useWorkspaces } from './workspace.tsx'
import { t } from '../i18n/frame.ts'

/** The name of the page in the navigation, or of the list that the page belongs to. */
function usePageLabel(): string {
  const path = useLocation({ select: ({ pathname }) => pathname.split('/')[3] ?? '' })
  const entries = navigation.flatMap((group) => group.entries)
  return entries.find((each) => each.path === path)?.label ?? t('Workspaces')
}

/** A page would read the workspaces again, and so without end. */
function Unread({ slug, query }: { slug: string; query: PendingQuery }) {
  const title = usePageLabel()
  usePlace(title, [{ label: slug }, { label: title }])
  return (
    <PageBody title={title}>
      <Pending query={query} of={t('Your workspaces')} />
      <p>{t('So this page of {slug} cannot be shown. Nothing was changed.', { slug })}</p>
    </PageBody>
  )
}

/** Shows a workspace's pages once it is known; the path names it by its slug. */
export function InWorkspace() {
  const query = useWorkspaces()
  const found = useMaybeWorkspace()
  const { slug = '' } = useParams({ strict: false }) as { slug?: string }
  const foundId = found?.id
  useEffect(() => {
    if (foundId !== undefined) setLastWorkspace(foundId)
  }, [foundId])
  if (query.data === undefined) {
    return query.error === null ? (
      <Pending query={query} of={t('Your workspaces')} />
    ) : (
      <Unread {...{ slug, query }} />
    )
  }
  if (found === undefined) {
    return (
      <Empty
        title={t('There is no such workspace for you')}
        action={<LinkButton to="/workspaces">{t('Your workspaces')}</LinkButton>}
      >
        {t('It does not exist, it was renamed, or you are not a member of it.')}
      </Empty>
    )
  }
  return (
    <Present value={found}>
      <Outlet />
    </Present>
  )
}
