/** The frame of a signed-in person's pages, and the code that they call: loaded at once. */
export { operations } from '../../../sdk/schema.ts'
export { Shell } from '../kit/Shell.tsx'
export { default as Prompts } from './Prompts.tsx'
export { InWorkspace } from './InWorkspace.tsx'
