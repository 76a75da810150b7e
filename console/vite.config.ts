import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The parts that all pages need. It changes rarely: browsers keep it when a new release changes
 * pages.
 */
const LIBRARIES =
  /rolldown\/runtime|node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(history|store|router-core|react-router|react-store))\//

/** The code of our own that the sign-in needs, in one file. */
const BASE =
  /console\/src\/(tokens\.css|api\/(act|call-log|client|path|problem)|kit\/(Button|CardPage|Field|Note)|session\/(config|link-token|passkeys|path-after|preferences|prompts|session|sso|use-session)|pages\/sign-in\/|i18n\/(language|translate|shared)\.ts)/

/** The cache of what was read, which the sign-in does without. */
const CACHE =
  /node_modules\/@tanstack\/(query-core|react-query)\/|console\/src\/(api\/hooks|live\/status|session\/Cached)/

/** Parts that every page of a signed-in person needs besides, and most lists. */
const FRAME =
  /console\/src\/(kit\/(Badge|FilterEditor|ListPage|Shell|Table|Text|steady-rows)|i18n\/frame\.ts|session\/(InWorkspace|Prompts|frame\.ts|search-state|workspace)|api\/(filter|json-object)|pages\/devices\/(device-(columns|labels)|filter-fields))|sdk\/filters|lucide-react\/.*\/icons\/(arrow-down|check|plus)\./

/** `npm run dev -w console` serves the sources and passes calls to a service on its usual port. */
const service = { target: 'http://127.0.0.1:8080', changeOrigin: false }

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2023',
    // A data URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // For console/budget.ts.
    manifest: true,
    // The licenses of all contents of the files; `npm run package` delivers them as well.
    license: { fileName: '.vite/licenses.json' },
    rolldownOptions: {
      input: ['index.html', 'pay.html'],
      output: {
        // The entry names all files, and everybody loads it.
        chunkFileNames: 'assets/[hash].js',
        assetFileNames: 'assets/[hash][extname]',
        codeSplitting: {
          groups: [
            { name: 'libraries', test: LIBRARIES },
            { name: 'base', test: BASE },
            { name: 'cache', test: CACHE },
            { name: 'frame', test: FRAME },
          ],
        },
      },
    },
  },
  server: { proxy: { '/console/api': service, '/api/v1': service } },
})
