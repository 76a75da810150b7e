/** The tags of a device, wherever a request sets them. */
import Type from 'typebox'

export const MAX_TAGS = 64
/** Without anchors. */
export const TAG_KEY = '[A-Za-z0-9_.-]{1,64}'
export const TagKey = Type.String({ pattern: `^${TAG_KEY}$` })
export const TagValue = Type.String({ maxLength: 256 })
/** The bounds of the record that has the tags of a device. */
export const tagOptions = { maxProperties: MAX_TAGS, additionalProperties: false }
