/** What pages of somebody who is signed in are shown in: loaded at once, by one name. */
export { Shell } from '../kit/Shell.tsx'
export { default as Prompts } from './Prompts.tsx'
export { InWorkspace } from './InWorkspace.tsx'
