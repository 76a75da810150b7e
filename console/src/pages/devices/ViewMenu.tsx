/** The saved views of the list of devices: chosen, saved, renamed, shared and deleted. */
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import type { Answered, Body } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Checkbox, Form, FormActions, TextField } from '../../kit/Field.tsx'
import { ConfirmDialog, Dialog, Menu, type MenuItem, say } from '../../kit/Overlay.tsx'
import { roleHolds, useWorkspace } from '../../session/workspace.tsx'

/** What is on the screen, for a view to keep. */
export interface Shown {
  filter: string
  /** Null unless they were chosen. */
  columns: readonly string[] | null
}

type Resource = Answered<'getView'>

interface MenuProps {
  /** The chosen one, as it is saved. */
  chosen: Resource | undefined
  shown: Shown
  /** Whether what is shown differs from the chosen view. */
  isChanged: boolean
  onChoose: (id: string | undefined) => void
}

type Task = 'save' | 'rename' | 'delete'
const REFRESHES = ['listViews', 'getView'] as const

const bodyOf = ({ filter, columns }: Shown) => ({
  filter: filter === '' ? null : filter,
  columns: columns && [...columns],
})

const mayNotShare = 'As viewer you may not share views. owner, admin or member may.'

export function ViewMenu({ chosen, shown, isChanged, onChoose }: MenuProps) {
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
        onError: (problem: Problem) => say('The view was not changed', problem.message),
      },
    )
  }
  const list = (isShared: boolean): MenuItem[] =>
    (views.data?.items ?? [])
      .filter((each) => each.is_shared === isShared)
      .map((each) => ({
        label: each.name,
        group: isShared ? 'Shared' : 'Yours',
        isChosen: each.id === view?.id,
        onSelect: () => onChoose(each.id),
      }))
  const blocked = roleHolds(role, 'views.share') ? undefined : mayNotShare
  const acts: MenuItem[] = [
    { label: 'Save as…', group: 'This list', onSelect: () => setTask('save') },
  ]
  if (view !== undefined) {
    acts.push(
      {
        label: 'Save changes',
        group: 'This list',
        blocked: isChanged ? undefined : 'Nothing has changed.',
        onSelect: () => update(bodyOf(shown), 'The view is saved'),
      },
      { label: 'Rename…', group: 'This list', onSelect: () => setTask('rename') },
      {
        label: view.is_shared ? 'Make it mine' : 'Share with all members',
        group: 'This list',
        blocked,
        onSelect: () =>
          update({ is_shared: !view.is_shared }, view.is_shared ? 'It is yours' : 'It is shared'),
      },
      { label: 'Delete…', group: 'This list', danger: true, onSelect: () => setTask('delete') },
    )
  }
  const all: MenuItem = {
    label: 'All devices',
    isChosen: view === undefined,
    onSelect: () => onChoose(undefined),
  }
  return (
    <>
      <Menu
        trigger={
          <Button icon={<ChevronDown size={15} />}>
            {view === undefined ? 'Views' : `View: ${view.name}`}
            {isChanged && ' (changed)'}
          </Button>
        }
        items={[all, ...list(false), ...list(true), ...acts]}
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
    <Dialog title="Save view" open onClose={onClose}>
      <Form onSubmit={() => void submit()} problem={create.error}>
        <TextField label="Name" pointer="/name" value={name} onValue={setName} />
        <Checkbox
          label="Share with all members"
          hint={blocked ?? 'Otherwise only you see it.'}
          checked={isShared}
          disabled={blocked !== undefined}
          onValue={setShared}
        />
        <FormActions>
          <Button type="submit" kind="primary" busy={create.isPending}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
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
    <Dialog title="Rename view" open onClose={onClose}>
      <Form onSubmit={() => change.mutate(input, { onSuccess: onClose })} problem={change.error}>
        <TextField label="Name" pointer="/name" value={name} onValue={setName} />
        <FormActions>
          <Button type="submit" kind="primary" busy={change.isPending}>
            Rename
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
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
  const confirm = async (): Promise<void> => {
    const input = { params: { id, view_id }, etag: chosen.etag }
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
      title={`Delete the view ${name}`}
      act="Delete view"
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      {is_shared ? 'It disappears for all members.' : 'Only you have it.'} The devices stay.
    </ConfirmDialog>
  )
}
