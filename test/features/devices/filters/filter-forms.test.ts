/** The lists accept the fields of filters that the API document describes. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type FilterField, filters } from '../../../../sdk/filters.ts'
import { operations } from '../../../../src/operations.ts'
import { openapiDocument } from '../../../../src/platform/http/openapi.ts'
import { routeOf } from '../../../../src/platform/http/operation.ts'
import { type IdPrefix, newUuid, formatId } from '../../../../src/platform/lib/ids.ts'
import type { CallResult, Headers } from '../../../support/app.ts'
import { seedWorkspace } from '../../../support/seed.ts'
import { useApp } from '../../../support/suite-app.ts'
import { idOf, seedTenant, type Tenant } from '../../../support/tenants.ts'

interface Parameter {
  name: string
  'x-filter'?: FilterField[]
}

const { paths } = openapiDocument(operations) as {
  paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>>
}

const documented = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, parameters = [] }) => {
    const filter = parameters.find(({ name }) => name === 'filter')
    return filter === undefined ? [] : [{ id: operationId, fields: filter['x-filter'] }]
  })

const everyOperator = ['=', '!=', '<', '<=', '>', '>=', ':'] as const

/** A value that the field has according to its description. */
function valueOf(field: FilterField, operator: string, tenant: Tenant): string {
  const { type, values, id_prefix: prefix, wildcards = [] } = field
  if (operator === ':') return wildcards.includes('any') ? '*' : 'word'
  if (values !== undefined) return values.at(-1) as string
  if (type === 'time') return '2026-01-31'
  if (type === 'id') {
    const isKnown = prefix === 'grp'
    return isKnown ? idOf(tenant, 'grp') : formatId(prefix as IdPrefix, newUuid())
  }
  return wildcards.includes('prefix') && operator === '=' ? '"1*"' : '1'
}

suite('the fields of filters', () => {
  const get = useApp()
  let tenant: Tenant | undefined

  async function ask(id: string, filter: string): Promise<CallResult> {
    const own = (tenant ??= await seedTenant(get(), await seedWorkspace(get().app)))
    const operation = operations.find((each) => each.id === id)
    assert.ok(operation)
    const path = routeOf(operation).replaceAll(/:([a-z_]+)/g, (_, name: string) =>
      idOf(own, operation.params[name]?.prefix),
    )
    const headers = own.callers.user[0] as Headers
    return get().call('GET', `${path}?filter=${encodeURIComponent(filter)}`, { as: headers })
  }

  test('are described for every list that has a filter', () => {
    assert.ok(documented.length >= 20, String(documented.length))
    for (const { id, fields = [] } of documented) {
      assert.ok(fields.length > 0, id)
      assert.deepEqual(filters[id as keyof typeof filters], fields, id)
    }
  })

  test('accept the described operators with the described values, and no others', async () => {
    const own = (tenant ??= await seedTenant(get(), await seedWorkspace(get().app)))
    for (const { id, fields = [] } of documented) {
      const good: string[] = []
      for (const field of fields) {
        const name = field.name.replace(/<\w+>/, 'floor')
        if (field.pattern !== undefined) assert.match(name, new RegExp(field.pattern))
        const textOf = (operator: string): string =>
          `${name} ${operator} ${valueOf(field, operator, own)}`
        good.push(...field.operators.map(textOf))
        const other = everyOperator.find((each) => !field.operators.includes(each))
        if (other === undefined) continue
        assert.equal((await ask(id, textOf(other))).status, 400, `${id}: ${textOf(other)}`)
      }
      for (let from = 0; from < good.length; from += 12) {
        const text = good.slice(from, from + 12).join(' OR ')
        const { status, text: body } = await ask(id, text)
        assert.equal(status, 200, `${id}: ${text}: ${body}`)
      }
    }
  })

  test('of devices include tags and custom fields as patterns', () => {
    const fields = filters.listDevices.map(({ name }) => name)
    assert.ok(fields.includes('tags.<key>') && fields.includes('custom_fields.<name>'))
  })
})
