/** Who did something, by name: a member, an API key, or the command line. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/hooks.ts'
import { below } from '../kit/navigation.tsx'
import { Id } from '../kit/Text.tsx'
import { useWorkspace } from './workspace.tsx'

/** @param id of a user or a key; `service` for the command line; null for the service itself */
export function Who({ id }: { id: string | null }) {
  const workspace = useWorkspace()
  const { data } = useRead('listMembers', { params: { id: workspace.id }, query: { limit: 200 } })
  if (id === null) return <>the service</>
  if (id === 'service') return <>the command line</>
  if (id.startsWith('key_')) return <Link to={below(workspace.slug, `keys/${id}`)}>an API key</Link>
  if (data === undefined) return <>…</>
  const member = data.items.find(({ user_id }) => user_id === id)
  return member === undefined ? <Id>{id}</Id> : <>{member.name || member.email}</>
}
