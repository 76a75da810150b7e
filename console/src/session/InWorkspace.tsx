/** The workspace that the path of a page names, for the pages below it. */
import { Outlet, useParams } from '@tanstack/react-router'
import { LinkButton } from '../kit/Button.tsx'
import { Row } from '../kit/Layout.tsx'
import { Empty, Pending } from '../kit/Note.tsx'
import { PageBody } from '../kit/Shell.tsx'
import { Present, useMaybeWorkspace, useWorkspaces } from './workspace.tsx'
import { t } from '../words/frame.ts'

/** Shows a workspace's pages once it is known; the path names it by its slug. */
export function InWorkspace() {
  const query = useWorkspaces()
  const found = useMaybeWorkspace()
  const { slug = '' } = useParams({ strict: false }) as { slug?: string }
  if (query.data === undefined) {
    if (query.error === null) return <Pending query={query} />
    return (
      // A page would read the workspaces again, and so without end.
      <PageBody title={slug}>
        <Pending query={query} of={t('The workspace {slug}', { slug })} />
        <Row>
          <LinkButton to="/workspaces">{t('Your workspaces')}</LinkButton>
        </Row>
      </PageBody>
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
