/** The rules of a template: a table to edit, whose effect is shown before it is saved. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { TemplateTopicRule } from '../../../../sdk/schema.ts'
import { useDraft } from '../../api/draft.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { DraftForm } from '../../kit/DraftForm.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { defaultRules } from '../rules/default-rules.ts'
import { Effect } from './Effect.tsx'
import { RuleRow } from './RuleRow.tsx'
import { ofTemplate, REFRESHES, type TemplateProps } from './TemplatePage.tsx'
import { TryRules } from './TryRules.tsx'
import { t } from './translations.ts'

const newRule: TemplateTopicRule = {
  action: 'publish',
  topic: '{slug}/{device_key}/',
  permission: 'allow',
}

/** A copy in which two neighbours have changed places. */
const swapped = <Item,>(items: readonly Item[], at: number): Item[] =>
  items.map((item, index) => {
    if (index === at) return items[at + 1] ?? item
    return index === at + 1 ? (items[at] ?? item) : item
  })

interface EditorProps {
  rules: readonly TemplateTopicRule[]
  onRules: (rules: readonly TemplateTopicRule[]) => void
}

function Editor({ rules, onRules }: EditorProps) {
  const { slug } = useWorkspace()
  const add = (
    <>
      <Button icon={<Plus size={15} />} onClick={() => onRules([...rules, newRule])}>
        {t('Add rule')}
      </Button>
      {rules.length === 0 && (
        <>
          <Button onClick={() => onRules(defaultRules)}>{t('Start with the default rules')}</Button>
          <LinkButton kind="quiet" to={below(slug, 'rules')}>
            {t('See the default rules')}
          </LinkButton>
        </>
      )}
    </>
  )
  if (rules.length === 0) {
    return (
      <Empty title={t('The default rules apply')} action={add}>
        {t('Each device may use its own topics. The first rule here replaces all of them.')}
      </Empty>
    )
  }
  return (
    <Stack tight>
      <Small>
        {t('{variable} is {slug}, {key} the key of each device.', {
          variable: '{slug}',
          slug,
          key: '{device_key}',
        })}
      </Small>
      {rules.map((rule, at) => (
        <RuleRow
          // A rule has no identity of its own but its position.
          key={at}
          rule={rule}
          position={at + 1}
          count={rules.length}
          onChange={(next) => onRules(rules.with(at, next))}
          onUp={() => onRules(swapped(rules, at - 1))}
          onDown={() => onRules(swapped(rules, at))}
          onRemove={() => onRules(rules.toSpliced(at, 1))}
        />
      ))}
      <FormActions>{add}</FormActions>
    </Stack>
  )
}

interface RulesDraft {
  mqtt_acl: readonly TemplateTopicRule[]
}

export function Rules({ template, etag }: TemplateProps) {
  const draft = useDraft<RulesDraft>({ mqtt_acl: template.mqtt_acl }, etag)
  const blocked = useBlocked('updateDeviceTemplate')
  const preview = useChange('updateDeviceTemplate')
  const save = useChange('updateDeviceTemplate', REFRESHES)
  const [isConfirming, setConfirming] = useState(false)
  const input = {
    params: ofTemplate(template),
    body: { mqtt_acl: [...draft.value.mqtt_acl] },
    etag: draft.etag,
  }
  useNextCall('updateDeviceTemplate', { params: input.params, body: input.body })
  const ask = (): void =>
    preview.mutate(
      { ...input, query: { dry_run: true } },
      {
        onSuccess: () => {
          save.reset()
          setConfirming(true)
        },
      },
    )
  const confirm = (): void =>
    save.mutate(input, {
      onSuccess: () => {
        draft.drop()
        setConfirming(false)
        say(t('Rules saved'))
      },
    })
  return (
    <Stack>
      <Panel title={t('Rules: the first match decides, no match denies')}>
        <DraftForm
          draft={draft}
          problem={preview.error}
          busy={preview.isPending}
          blocked={blocked}
          act={t('See the effect and save…')}
          onSave={ask}
          onReset={preview.reset}
        >
          <Editor rules={draft.value.mqtt_acl} onRules={(mqtt_acl) => draft.change({ mqtt_acl })} />
        </DraftForm>
        {isConfirming && preview.data && (
          <ConfirmDialog
            title={t('Save these rules?')}
            act={t('Save')}
            kind={preview.data.effect.topics.lost.length > 0 ? 'danger' : 'primary'}
            busy={save.isPending}
            problem={save.error}
            onConfirm={confirm}
            onClose={() => setConfirming(false)}
          >
            <Effect effect={preview.data.effect} />
          </ConfirmDialog>
        )}
      </Panel>
      <TryRules template={template} rules={draft.value.mqtt_acl} />
    </Stack>
  )
}
