/** What pages of somebody who is signed in are shown in, and what they call: loaded at once. */
export { operations } from '../../../sdk/schema.ts'
export { Shell } from '../kit/Shell.tsx'
export { default as Prompts } from './Prompts.tsx'
export { InWorkspace } from './InWorkspace.tsx'
