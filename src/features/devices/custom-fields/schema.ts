/** Schemas of custom field definitions. */
import Type, { type Static } from 'typebox'
import { Flag, Id, NamedObject, Nullable, Timestamp } from '../../common/shapes.ts'

const FieldText = (description: string) =>
  Type.String({ maxLength: 256, pattern: '^[^\\u0000]*$', description })

const NUMBER = { minimum: -1e15, maximum: 1e15 }

const constraints = {
  options: Type.Optional(
    Nullable(
      Type.Array(FieldText('A value of the field.'), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
      }),
      'The allowed values of a string field.',
    ),
  ),
  minimum: Type.Optional(
    Nullable(Type.Number({ ...NUMBER }), 'The minimum value of a number field.'),
  ),
  maximum: Type.Optional(
    Nullable(Type.Number({ ...NUMBER }), 'The maximum value of a number field.'),
  ),
  max_length: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 1, maximum: 16_384 }),
      'The maximum length of a string field, in characters.',
    ),
  ),
}

const Description = Type.String({ maxLength: 1_000, pattern: '^[^\\u0000]*$' })

const FieldType = Type.Enum(['string', 'number', 'boolean', 'json'], {
  description: '`json` accepts any JSON value except null.',
})
export type FieldType = Static<typeof FieldType>

export const CreateCustomField = Type.Object({
  name: Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,64}$',
    description: 'Unique in the workspace. It cannot change.',
  }),
  type: FieldType,
  description: Type.Optional(Description),
  ...constraints,
})
export type CreateCustomField = Static<typeof CreateCustomField>

export const UpdateCustomField = Type.Object({
  description: Type.Optional(Description),
  ...constraints,
})
export type UpdateCustomField = Static<typeof UpdateCustomField>

export const DeleteCustomField = Type.Object({
  purge: Type.Optional(Flag('Whether the values of devices are deleted too.')),
})

export const CustomFieldView = NamedObject('CustomField', {
  id: Id('fld'),
  workspace_id: Id('ws'),
  name: Type.String(),
  type: FieldType,
  description: Type.String(),
  options: Nullable(Type.Array(Type.String())),
  minimum: Nullable(Type.Number()),
  maximum: Nullable(Type.Number()),
  max_length: Nullable(Type.Integer()),
  status: Type.Enum(['active', 'deleting'], {
    description: '`deleting` while its values are being deleted from devices.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type CustomFieldView = Static<typeof CustomFieldView>

export const CustomFields = Type.Object({ items: Type.Array(CustomFieldView) })
export type CustomFields = Static<typeof CustomFields>
