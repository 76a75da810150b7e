/** A browser that shows the console: it keeps cookies and sends them to the service. */
import { CONSOLE_BASE } from '../../src/platform/http/operation.ts'
import { type CallOptions, type CallResult, callUrl, type TestApp } from './app.ts'

export interface Browser {
  /** The cookies that it has, by name. */
  cookies: Map<string, string>
  /** The attributes of each cookie, as the service has set them last. */
  attributes: Map<string, string>
  /** `path` is below `/console/api`. */
  call(method: string, path: string, options?: CallOptions): Promise<CallResult>
  /** Forgets what does not last. */
  restart(): void
}

export function browser(app: Pick<TestApp, 'origin'>): Browser {
  const cookies = new Map<string, string>()
  const attributes = new Map<string, string>()
  const keep = (line: string): void => {
    const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*); (.*)$/.exec(line) ?? []
    attributes.set(name, rest)
    if (/Max-Age=0\b/.test(rest)) cookies.delete(name)
    else cookies.set(name, value)
  }
  return {
    cookies,
    attributes,
    async call(method, path, options = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...(cookie !== '' && { cookie }), ...options.headers }
      const url = `${app.origin}${CONSOLE_BASE}${path}`
      const result = await callUrl(url, method, { ...options, headers })
      for (const line of result.cookies) keep(line)
      return result
    },
    restart() {
      for (const [name, rest] of attributes) if (!/Max-Age/.test(rest)) cookies.delete(name)
    },
  }
}
