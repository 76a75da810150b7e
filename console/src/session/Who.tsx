/** Who did something, by name: a member, one who has left, an API key, or the command line. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/hooks.ts'
import { below } from '../kit/navigation.tsx'
import { Id } from '../kit/Text.tsx'
import { useWorkspace } from './workspace.tsx'

/** A name that members do not have: of a key, or of somebody who has left. */
function Actor({ id }: { id: string }) {
  const { id: workspaceId, slug } = useWorkspace()
  const { data } = useRead('listActors', { params: { id: workspaceId }, query: { ids: id } })
  const isKey = id.startsWith('key_')
  if (data === undefined) return isKey ? <>an API key</> : <>…</>
  const [actor] = data.items
  const after = actor === undefined || actor.is_active ? '' : isKey ? ' (revoked)' : ' (left)'
  if (isKey) {
    const name = actor === undefined ? 'an API key' : `the key ${actor.label}`
    return (
      <>
        <Link to={below(slug, `keys/${id}`)}>{name}</Link>
        {after}
      </>
    )
  }
  if (actor === undefined) return <Id>{id}</Id>
  if (actor.is_deleted) {
    return (
      <>
        a deleted account <Id>{id}</Id>
      </>
    )
  }
  return (
    <>
      {actor.label}
      {after}
    </>
  )
}

/** @param id of a user or a key; `service` for the command line; null for the service itself */
export function Who({ id }: { id: string | null }) {
  const { id: workspaceId } = useWorkspace()
  const { data } = useRead('listMembers', { params: { id: workspaceId }, query: { limit: 200 } })
  if (id === null) return <>the service</>
  if (id === 'service') return <>the command line</>
  if (id.startsWith('key_')) return <Actor id={id} />
  if (data === undefined) return <>…</>
  const member = data.items.find(({ user_id }) => user_id === id)
  return member === undefined ? <Actor id={id} /> : <>{member.name || member.email}</>
}
