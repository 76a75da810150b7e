/** Jumping by name, and the list of the keys: loaded once somebody asks for one of them. */
import { useId, useState } from 'react'
import { hasSingleKeys, setSingleKeys } from '../session/preferences.ts'
import { Checkbox, TextField } from './Field.tsx'
import { Dialog } from './Overlay.tsx'
import css from './Palette.module.css'
import { goKeys } from './keys.ts'
import { listKeys } from './list-keys.ts'
import { type Hit, useHits } from './palette-hits.ts'
import { t } from '../i18n/frame.ts'

interface PaletteProps {
  slug: string | undefined
  onClose: () => void
}

export function Palette({ slug, onClose }: PaletteProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const hits = useHits(text, slug)
  const go = (hit: Hit | undefined): void => {
    if (hit === undefined) return
    onClose()
    hit.run()
  }
  const move = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter') go(hits[at])
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, hits.length - 1))
    if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    if (['Enter', 'ArrowDown', 'ArrowUp'].includes(event.key)) event.preventDefault()
  }
  return (
    <Dialog title={t('Search or jump to')} open onClose={onClose}>
      <TextField
        label={t('A page, a device, a key, a person … or an act, such as “suspend lamp-1”')}
        value={text}
        onValue={(value) => {
          setText(value)
          setAt(0)
        }}
        onKeyDown={move}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={hits[at] && `${listId}-${at}`}
        autoComplete="off"
      />
      <ul className={css.palette} id={listId} role="listbox" aria-label={t('Found')}>
        {hits.map((hit, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has them
          <li
            key={`${hit.kind} ${hit.label} ${hit.detail ?? ''}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(hit)}
          >
            <span className={css.hit}>
              {hit.label} <span className={css.hint}>{hit.detail}</span>
            </span>
            <span className={css.hint}>{hit.kind}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && <p>{t('Nothing found.')}</p>}
    </Dialog>
  )
}

const KeyRow = ({ keys, what }: { keys: string; what: string }) => (
  <>
    <dt>
      {keys.split(' ').map((each) => (
        <kbd key={each}>{each}</kbd>
      ))}
    </dt>
    <dd>{what}</dd>
  </>
)

export function KeyHelp({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys)
  const change = (next: boolean): void => {
    setSingleKeys(next)
    setOn(next)
  }
  return (
    <Dialog title={t('Keys of the console')} open onClose={onClose}>
      <dl className={css.keys}>
        <KeyRow keys={t('Ctrl K')} what={t('Search or jump to')} />
        {goKeys.map(({ key, label }) => (
          <KeyRow key={key} keys={`g ${key}`} what={label} />
        ))}
        {listKeys.map(({ key, what }) => (
          <KeyRow key={key} keys={key} what={what} />
        ))}
        <KeyRow keys="?" what={t('This list')} />
      </dl>
      <Checkbox
        label={t('Keys without Ctrl do something')}
        hint={t('Switch it off if they are pressed unmeant, as by speech input.')}
        checked={isOn}
        onValue={change}
      />
    </Dialog>
  )
}
