/** The output of `serve` when it is ready, by its configuration. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting } from '../../src/commands/serve/greeting.ts'
import { readConfig } from '../../src/platform/config/config.ts'

function printed(environment: Record<string, string> = {}): string {
  const found = {
    origin: 'http://127.0.0.1:8080',
    consoleUrl: 'http://127.0.0.1:8080/console',
    ports: { operator: 8081 },
    mqtt: { host: '127.0.0.1', port: 1883, tls: false },
  }
  const config = readConfig({ MOORING_DATA_DIR: '/dev/null', ...environment })
  return greeting(config, found, { owner: undefined })
}

test('without a mail server the start names the place where mail is read', () => {
  assert.match(printed(), /Operator +http:\/\/127\.0\.0\.1:8081\/readyz, .*, \/outbox\n/)
  const withServer = printed({
    MOORING_SMTP_URL: 'smtps://mail.example.com',
    MOORING_MAIL_FROM: 'mooring@example.com',
    MOORING_CONSOLE_URL: 'https://iot.example.com/console',
  })
  assert.doesNotMatch(withServer, /outbox/)
})
