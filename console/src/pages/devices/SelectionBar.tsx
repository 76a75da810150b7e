/** The actions on the chosen devices: by a job, whose progress has a page. */
import { useState } from 'react'
import { Button } from '../../kit/Button.tsx'
import { End } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { numberText } from '../../kit/numbers.ts'
import { ChangeDevices } from './ChangeDevices.tsx'
import { counted, t } from './translations.ts'

interface BarProps {
  chosen: ReadonlySet<string>
  filter: string
  /** How many devices pass the filter, if that is known. */
  matching: string | undefined
  /** Whether the chosen devices are all that there are. */
  isAllShown: boolean
  onDone: () => void
}

export default function SelectionBar({ chosen, filter, matching, isAllShown, onDone }: BarProps) {
  const [isAll, setAll] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const blocked = useBlocked('createJob')
  const n = numberText(chosen.size)
  const isWhole = !isAll && (isAllShown || matching === n)
  const all =
    matching === undefined ? t('All that match') : t('All {n} that match', { n: matching })
  const selectAll =
    matching === undefined
      ? t('Select all that match')
      : t('Select all {n} that match', { n: matching })
  return (
    <Note
      title={isAll ? all : t('{n} selected', { n })}
      action={
        <End>
          <Button onClick={onDone}>{t('Clear selection')}</Button>
          <Button kind="primary" blocked={blocked} onClick={() => setChanging(true)}>
            {t('Change…')}
          </Button>
        </End>
      }
    >
      {!isWhole && (
        <Button kind="quiet" onClick={() => setAll(!isAll)}>
          {isAll ? t('Only the selected ones') : selectAll}
        </Button>
      )}
      {isChanging && (
        <ChangeDevices
          selection={isAll ? { filter } : { device_ids: [...chosen] }}
          count={isAll ? all : counted(chosen.size, '{n} device', '{n} devices')}
          onClose={() => setChanging(false)}
        />
      )}
    </Note>
  )
}
