/** How the sample devices are built and started. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Program, startProgram } from '../adapters/broker/start-program.ts'
import { ROOT } from '../support/sources.ts'

/** Sample devices need compilers and libraries of Debian, which `.ci/run` installs. */
export const SKIPPED =
  process.env.MOORING_TEST_SAMPLES === '1'
    ? false
    : 'sample devices are run with MOORING_TEST_SAMPLES=1'

/** The folder of the interpreter, which `.ci/run` fetches. */
const interpreter = process.env.MOORING_TEST_MICROPYTHON ?? ''

const firmware = join(ROOT, 'examples/firmware')

/** The function with which a sample registers itself. */
export interface Factory {
  url: string
  provisionKey: string
  templateId: string
  hardwareId: string
}

export interface Sample {
  /** Whether it registers itself; else it gets what the factory has stored. */
  registersItself: boolean
  /** Compiles what has to be compiled, into the folder. */
  build?(folder: string): Promise<void>
  start(folder: string, factory: Factory): Program
}

const run = promisify(execFile)

const variables = ({ url, provisionKey, templateId, hardwareId }: Factory) => ({
  MOORING_URL: url,
  PROVISION_KEY: provisionKey,
  TEMPLATE_ID: templateId,
  HARDWARE_ID: hardwareId,
})

const WARNINGS = ['-std=gnu11', '-Wall', '-Wextra', '-Werror']

export const samples: Readonly<Record<string, Sample>> = {
  C: {
    registersItself: true,
    async build(folder) {
      const sources = ['device.c', 'port_posix.c'].map((name) => join(firmware, 'c', name))
      const libraries = ['-lmosquitto', '-lcurl', '-lcjson', '-lmbedcrypto']
      await run('gcc', [...WARNINGS, '-o', join(folder, 'device'), ...sources, ...libraries])
    },
    start: (folder, factory) =>
      startProgram(join(folder, 'device'), [], variables(factory), folder),
  },
  Python: {
    registersItself: true,
    start: (folder, factory) =>
      startProgram(
        '/usr/bin/python3',
        [join(firmware, 'python/device.py')],
        variables(factory),
        folder,
      ),
  },
  MicroPython: {
    registersItself: true,
    start(folder, { url, provisionKey, templateId, hardwareId }) {
      const settings = {
        url,
        provision_key: provisionKey,
        template_id: templateId,
        hardware_id: hardwareId,
      }
      writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
      return startMicroPython(join(firmware, 'micropython/device.py'), folder)
    },
  },
  Node: {
    registersItself: false,
    start: (folder, { url }) =>
      startProgram(
        process.execPath,
        [join(ROOT, 'examples/device.ts'), '--credentials', 'device.json', '--url', url],
        {},
        folder,
      ),
  },
}

export const startMicroPython = (program: string, folder: string): Program =>
  startProgram(
    process.execPath,
    [join(import.meta.dirname, 'micropython.ts'), interpreter, program],
    {},
    folder,
  )

/**
 * Compiles the device in C as a platform does that defines `macro`, against the real cJSON and
 * mbedtls, which are the same there. The functions of port.h are not implemented for it.
 */
export async function checkPlatform(macro: string): Promise<void> {
  const options = ['-fsyntax-only', `-D${macro}`, '-I', '/usr/include/cjson']
  await run('gcc', [...WARNINGS, ...options, join(firmware, 'c/device.c')])
}

/** Compiles a source against declarations of libraries that are not here. */
export async function checkSyntax(
  compiler: 'gcc' | 'g++',
  headers: string,
  path: string,
): Promise<void> {
  const language = compiler === 'gcc' ? ['-x', 'c', '-std=gnu11'] : ['-x', 'c++', '-std=gnu++17']
  const include = join(import.meta.dirname, 'headers', headers)
  const first = headers === 'arduino' ? ['-include', 'Arduino.h'] : []
  const rest = [
    '-fsyntax-only',
    '-Wall',
    '-Wextra',
    '-Wno-unused',
    '-Werror',
    '-Wno-unused-parameter',
  ]
  await run(compiler, [...language, ...rest, '-I', include, ...first, path])
}
