/** Runs the command line for users as a process, with profiles of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { defer } from '../support/cleanup.ts'
import { bare } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

export const main = join(ROOT, 'cli/main.ts')

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface StartedCli {
  process: ChildProcess
  output: { stdout: string; stderr: string }
  ended: Promise<CliResult>
}

interface CliOptions {
  /** For standard input. */
  input?: string
  environment?: object
}

export interface Cli {
  /** The file with the profiles. */
  file: string
  start: (args: readonly string[], options?: CliOptions) => StartedCli
  run: (args: readonly string[], options?: CliOptions) => Promise<CliResult>
}

/** @param environment of every call, such as `MOORING_URL` */
export function useCli(t: TestContext, environment: Record<string, string> = {}): Cli {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-cli-'))
  defer(t, () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'config', 'profiles.json')
  const start: Cli['start'] = (args, { input, environment: more } = {}) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: { ...bare({ MOORING_CONFIG: file, ...environment }), ...more },
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()))
    child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()))
    // A command that fails at once does not read what it is given.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      ...output,
    }))
    defer(t, async () => {
      child.kill('SIGKILL')
      await ended
    })
    return { process: child, output, ended }
  }
  return { file, start, run: (args, options) => start(args, options).ended }
}
