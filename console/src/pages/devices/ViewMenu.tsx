/** The saved views of the list of devices: chosen, saved, renamed, shared and deleted. */
import type { UseQueryResult } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import type { CallResult, Body } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Checkbox, Form, TextField } from '../../kit/Field.tsx'
import { ConfirmDialog, Dialog, Menu, type MenuItem, say } from '../../kit/Overlay.tsx'
import { roleHolds, useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

/** The state of the list on the screen, for a view to keep. */
export interface Shown {
  filter: string
  /** Null unless they were chosen. */
  columns: readonly string[] | null
}

type Resource = CallResult<'getView'>

interface MenuProps {
  /** The chosen one, as it is saved. */
  chosen: Resource | undefined
  shown: Shown
  /** Whether what is shown differs from the chosen view. */
  isChanged: boolean
  /** Whether no view is chosen, not even one that cannot be read. */
  isNone: boolean
  onChoose: (id: string | undefined) => void
}

type Task = 'save' | 'rename' | 'delete'
const REFRESHES = ['listViews', 'getView'] as const

const bodyOf = ({ filter, columns }: Shown) => ({
  filter: filter === '' ? null : filter,
  columns: columns && [...columns],
})

const mayNotShare = t('As viewer you may not share views. Only owners, admins and members may.')

/** The label of the button. */
function nameOf(name: string | undefined, isChanged: boolean): string {
  if (name === undefined) return t('Views')
  return isChanged ? t('View: {name} (changed)', { name }) : t('View: {name}', { name })
}

/** In the menu, in place of the views, until they have been read. */
function unreadOf({ data, error, refetch }: UseQueryResult<unknown, Problem>): MenuItem[] {
  if (data !== undefined) return []
  if (error === null) {
    const why = t('The views are still being read.')
    return [{ label: t('Loading'), group: t('Views'), blocked: why, onSelect: () => undefined }]
  }
  const group = t('{what} could not be read', { what: t('Views') })
  const onSelect = (): void => void refetch()
  return [{ label: t('Try again'), group, staysOpen: true, onSelect }]
}

export function ViewMenu({ chosen, shown, isChanged, isNone, onChoose }: MenuProps) {
  const { id, role } = useWorkspace()
  const views = useRead('listViews', { params: { id } })
  const [task, setTask] = useState<Task | null>(null)
  const change = useChange('updateView', REFRESHES)
  const view = chosen?.body
  const update = (body: Body<'updateView'>, done: string): void => {
    if (view === undefined) return
    const params = { id, view_id: view.id }
    change.mutate(
      { params, body, etag: chosen?.etag },
      {
        onSuccess: () => {
          say(done)
          onChoose(view.id)
        },
        onError: (problem: Problem) => say(t('The view was not changed'), problem.sentence),
      },
    )
  }
  const list = (isShared: boolean): MenuItem[] =>
    (views.data?.items ?? [])
      .filter((each) => each.is_shared === isShared)
      .map((each) => ({
        label: each.name,
        group: isShared ? t('Shared') : t('Yours'),
        isChosen: each.id === view?.id,
        onSelect: () => onChoose(each.id),
      }))
  const blocked = roleHolds(role, 'views.share') ? undefined : mayNotShare
  // A shared view is changed by those who may share.
  const blockedShared = view?.is_shared === true ? blocked : undefined
  const acts: MenuItem[] = [
    { label: t('Save as…'), group: t('This list'), onSelect: () => setTask('save') },
  ]
  if (view !== undefined) {
    acts.push(
      {
        label: t('Save changes'),
        group: t('This list'),
        blocked: blockedShared ?? (isChanged ? undefined : t('Nothing has changed.')),
        onSelect: () => update(bodyOf(shown), t('The view is saved')),
      },
      {
        label: t('Rename…'),
        group: t('This list'),
        blocked: blockedShared,
        onSelect: () => setTask('rename'),
      },
      {
        label: view.is_shared ? t('Make it mine') : t('Share with all members'),
        group: t('This list'),
        blocked,
        onSelect: () =>
          update(
            { is_shared: !view.is_shared },
            view.is_shared ? t('It is yours') : t('It is shared'),
          ),
      },
      {
        label: t('Delete…'),
        group: t('This list'),
        danger: true,
        blocked: blockedShared,
        onSelect: () => setTask('delete'),
      },
    )
  }
  const all: MenuItem = {
    label: t('All devices'),
    isChosen: isNone && shown.filter === '',
    onSelect: () => onChoose(undefined),
  }
  return (
    <>
      <Menu
        trigger={<Button icon={<ChevronDown size={15} />}>{nameOf(view?.name, isChanged)}</Button>}
        items={[all, ...unreadOf(views), ...list(false), ...list(true), ...acts]}
      />
      {task === 'save' && (
        <SaveView
          shown={shown}
          blocked={blocked}
          onSaved={onChoose}
          onClose={() => setTask(null)}
        />
      )}
      {task === 'rename' && chosen !== undefined && (
        <RenameView chosen={chosen} onClose={() => setTask(null)} />
      )}
      {task === 'delete' && chosen !== undefined && (
        <DeleteView
          chosen={chosen}
          onDeleted={() => onChoose(undefined)}
          onClose={() => setTask(null)}
        />
      )}
    </>
  )
}

interface SaveProps {
  shown: Shown
  /** Why the person may not share views. */
  blocked: string | undefined
  onSaved: (id: string) => void
  onClose: () => void
}

function SaveView({ shown, blocked, onSaved, onClose }: SaveProps) {
  const { id } = useWorkspace()
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const create = useChange('createView', REFRESHES)
  const input = { params: { id }, body: { name, ...bodyOf(shown), is_shared: isShared } }
  useNextCall('createView', input)
  const submit = async (): Promise<void> => {
    const view = await create.mutateAsync(input).catch(() => undefined)
    if (view === undefined) return
    onClose()
    onSaved(view.id)
  }
  return (
    <Dialog title={t('Save view')} open onClose={onClose}>
      <Form onSubmit={() => void submit()} problem={create.error}>
        <TextField label={t('Name')} pointer="/name" value={name} onValue={setName} />
        <Checkbox
          label={t('Share with all members')}
          hint={blocked ?? t('Otherwise only you see it.')}
          checked={isShared}
          disabled={blocked !== undefined}
          onValue={setShared}
        />
        <SubmitActions act={t('Save')} busy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function RenameView({ chosen, onClose }: { chosen: Resource; onClose: () => void }) {
  const { id } = useWorkspace()
  const [name, setName] = useState(chosen.body.name)
  const change = useChange('updateView', REFRESHES)
  const params = { id, view_id: chosen.body.id }
  const input = { params, body: { name }, etag: chosen.etag }
  useNextCall('updateView', input)
  return (
    <Dialog title={t('Rename view')} open onClose={onClose}>
      <Form onSubmit={() => change.mutate(input, { onSuccess: onClose })} problem={change.error}>
        <TextField label={t('Name')} pointer="/name" value={name} onValue={setName} />
        <SubmitActions act={t('Rename')} busy={change.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

interface DeleteProps {
  chosen: Resource
  onDeleted: () => void
  onClose: () => void
}

function DeleteView({ chosen, onDeleted, onClose }: DeleteProps) {
  const { id } = useWorkspace()
  const { name, id: view_id, is_shared } = chosen.body
  const remove = useChange('deleteView', ['listViews'])
  const input = { params: { id, view_id }, etag: chosen.etag }
  useNextCall('deleteView', input)
  const confirm = async (): Promise<void> => {
    const isDone = await remove.mutateAsync(input).then(
      () => true,
      () => false,
    )
    if (!isDone) return
    onClose()
    onDeleted()
  }
  return (
    <ConfirmDialog
      title={t('Delete the view {name}', { name })}
      act={t('Delete view')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      {is_shared
        ? t('It disappears for all members. The devices stay.')
        : t('Only you have it. The devices stay.')}
    </ConfirmDialog>
  )
}
