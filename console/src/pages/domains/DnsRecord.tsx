/** A DNS record to create, each part of it to copy. */
import { Facts } from '../../kit/Layout.tsx'
import { Code } from '../../kit/Text.tsx'

interface DnsRecordProps {
  type: string
  name: string
  value: string
}

export const DnsRecord = ({ type, name, value }: DnsRecordProps) => (
  <Facts
    facts={[
      ['Type', <code key="type">{type}</code>],
      [
        'Name',
        <Code key="name" label="Name of the record">
          {name}
        </Code>,
      ],
      [
        'Value',
        <Code key="value" label="Value of the record">
          {value}
        </Code>,
      ],
    ]}
  />
)
