/** A DNS record to create, each part of it to copy. */
import { Facts } from '../../kit/Layout.tsx'
import { Code } from '../../kit/Text.tsx'
import { t } from './translations.ts'

interface DnsRecordProps {
  type: string
  name: string
  value: string
}

export const DnsRecord = ({ type, name, value }: DnsRecordProps) => (
  <Facts
    facts={[
      [t('Type'), <code key="type">{type}</code>],
      [
        t('Name'),
        <Code key="name" wraps label={t('Name of the record')}>
          {name}
        </Code>,
      ],
      [
        t('Value'),
        <Code key="value" wraps label={t('Value of the record')}>
          {value}
        </Code>,
      ],
    ]}
  />
)
