/** A Mosquitto with dynamic security of its own: on a free port, with a folder of its own. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { listens, type Program, startProgram } from './start-program.ts'

export const MOSQUITTO = '/usr/sbin/mosquitto'
export const MOSQUITTO_CTRL = '/usr/bin/mosquitto_ctrl'
export const DYNAMIC_SECURITY = '/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so'

export interface StartedMosquitto {
  port: number
  url: string
  /** The administrator that the plugin's file begins with. */
  username: string
  password: string
  /** Ends the broker and starts it again, on the same port with the same files. */
  restart(): Promise<void>
  /** Ends the broker, and leaves the files for the next start. */
  halt(): Promise<void>
  begin(): Promise<void>
  stop(): Promise<void>
}

const ADMIN = { username: 'mooring', password: 'only for tests' }

const configuration = (folder: string, port: number): string => `
listener ${port} 127.0.0.1
allow_anonymous false
user ${userInfo().username}
plugin ${DYNAMIC_SECURITY}
plugin_opt_config_file ${join(folder, 'dynamic-security.json')}
set_tcp_nodelay true
persistence true
persistence_location ${folder}/
autosave_interval 0
log_dest topic
log_type error
log_type warning
log_type notice
connection_messages true
check_retain_source true
`

/** Lets the administrator publish, too, as `addRoleACL` of mosquitto_ctrl changes the file. */
function allowPublishing(file: string): void {
  const rights = JSON.parse(readFileSync(file, 'utf8')) as { roles: { acls: object[] }[] }
  rights.roles[0]?.acls.push({ acltype: 'publishClientSend', topic: '#', allow: true })
  writeFileSync(file, JSON.stringify(rights))
}

export async function startMosquitto(): Promise<StartedMosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-mosquitto-'))
  const [port = 0] = await freePorts(1)
  const file = join(folder, 'mosquitto.conf')
  writeFileSync(file, configuration(folder, port))
  const { username, password } = ADMIN
  const rights = join(folder, 'dynamic-security.json')
  execFileSync(MOSQUITTO_CTRL, ['dynsec', 'init', rights, username, password])
  allowPublishing(rights)
  let program: Program | undefined
  const begin = async (): Promise<void> => {
    program = startProgram(MOSQUITTO, ['-c', file])
    await listens(port, program)
  }
  const halt = async (): Promise<void> => await program?.stop()
  await begin()
  return {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    ...ADMIN,
    begin,
    halt,
    async restart() {
      await halt()
      await begin()
    },
    async stop() {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
