/** One template: the common properties of its devices, their rules, and how it has changed. */
import { useParams } from '@tanstack/react-router'
import { type ComponentType, useState } from 'react'
import type { DeviceTemplate } from '../../../../sdk/schema.ts'
import { useResource } from '../../api/hooks.ts'
import { LoneDanger } from '../../kit/Acts.tsx'
import { Row } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { SectionTabs } from '../../kit/SectionTabs.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { DeleteTemplate } from './DeleteTemplate.tsx'
import { HowMany, ToDevices, useDevices } from './Devices.tsx'
import { General } from './General.tsx'
import { Rules } from './Rules.tsx'
import { Versions } from './Versions.tsx'
import { t } from './translations.ts'

export interface TemplateProps {
  template: DeviceTemplate
  /** For changes that must not overwrite those of others. */
  etag: string | undefined
}

/** Reads that are out of date after a change of a template. */
export const REFRESHES = [
  'getDeviceTemplate',
  'listDeviceTemplates',
  'listTemplateVersions',
] as const

/** Path parameters of calls about a template. */
export const ofTemplate = ({ workspace_id: id, id: template_id }: DeviceTemplate) => ({
  id,
  template_id,
})

const sections: Readonly<Record<string, readonly [string, ComponentType<TemplateProps>]>> = {
  general: [t('General'), General],
  rules: [t('Rules'), Rules],
  versions: [t('Versions'), Versions],
}

export default function TemplatePage() {
  const { id, slug } = useWorkspace()
  const { templateId = '' } = useParams({ strict: false }) as { templateId?: string }
  const [{ tab = 'general' }] = useSearchState<{ tab: string }>()
  const [isDeleting, setDeleting] = useState(false)
  const blocked = useBlocked('deleteDeviceTemplate')
  const params = { id, template_id: templateId }
  const query = useResource('getDeviceTemplate', { params })
  const devices = useDevices(templateId)
  const trail = [{ label: t('Templates'), to: below(slug, 'templates') }]
  const tabs = (
    <SectionTabs
      label={t('Parts of the template')}
      sections={sections}
      open={tab}
      to={below(slug, `templates/${templateId}`)}
    />
  )
  if (query.data === undefined) {
    return (
      <PendingPage
        title={t('Template')}
        of={t('The template')}
        trail={trail}
        query={query}
        tabs={tabs}
      />
    )
  }
  const { body: template, etag } = query.data
  const [, Section] = sections[tab] ?? ['', General]
  return (
    <Page
      title={template.name}
      trail={trail}
      note={
        <Row>
          <code>{template.model_key}</code>
          <HowMany {...devices} />
        </Row>
      }
      actions={
        <>
          <ToDevices templateId={template.id} count={devices.data} />
          <LoneDanger label={t('Delete…')} blocked={blocked} onSelect={() => setDeleting(true)} />
        </>
      }
    >
      {tabs}
      <Section key={template.id} template={template} etag={etag} />
      {isDeleting && <DeleteTemplate template={template} onClose={() => setDeleting(false)} />}
    </Page>
  )
}
