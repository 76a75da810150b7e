/** The units of systemd: valid for its own check, with the settings that the service relies on. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../support/sources.ts'

const folder = join(ROOT, 'deploy/systemd')
const ANALYZE = '/usr/bin/systemd-analyze'

test('the embedded database can stop cleanly, and a failed start is repeated', () => {
  const unit = readFileSync(join(folder, 'mooring.service'), 'utf8')
  for (const line of ['KillMode=mixed', 'Restart=on-failure', 'RestartSec=5']) {
    assert.match(unit, new RegExp(`^${line}$`, 'm'))
  }
})

test('systemd accepts the units', { skip: !existsSync(ANALYZE) && 'no systemd' }, (t) => {
  const copies = mkdtempSync(join(tmpdir(), 'mooring-units-'))
  t.after(() => rmSync(copies, { recursive: true }))
  const paths = readdirSync(folder).map((name) => {
    // The program must be there; on this machine it is not installed.
    const text = readFileSync(join(folder, name), 'utf8')
    const path = join(copies, name)
    writeFileSync(path, text.replace(/^(ExecStart=)\/opt\/mooring\/bin\/mooring/m, '$1/bin/true'))
    return path
  })
  assert.equal(paths.length, 3)
  const said = execFileSync(ANALYZE, ['verify', '--man=no', ...paths], { stdio: 'pipe' })
  assert.equal(said.toString(), '')
})
