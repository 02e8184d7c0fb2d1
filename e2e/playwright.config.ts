import { defineConfig } from '@playwright/test'
import { findBrowser } from '#testkit/browser.ts'

const browser = findBrowser()

export default defineConfig({
  testDir: '.',
  testMatch: '*.e2e.ts',
  outputDir: '../test-results/browser',
  globalSetup: './cluster.ts',
  fullyParallel: false,
  // Two browsers with their portals and databases keep two cores busy; a third makes each slow.
  workers: 2,
  // A test that fails runs once more, with a trace; to trace every run takes a quarter of the time.
  // It has still failed. Only where replicas are killed may the second run count, because a press
  // may reach a dying one (tools/test-count.ts).
  retries: 1,
  failOnFlakyTests: process.env['KIST_TEST_BALANCER'] === undefined,
  forbidOnly: true,
  // Node itself removes the types. Playwright would compile, in every worker process, what only the
  // portal imports: the drawn pages take four seconds.
  build: { external: ['**/*.ts', '**/*.js'] },
  // Only what hangs for sure: a machine that is busy with other things is slow for minutes.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json', { outputFile: '../test-results/e2e.json' }]],
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-IN',
    serviceWorkers: 'block',
    timezoneId: 'Asia/Kolkata',
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: browser.executablePath,
      args: browser.args,
      env: browser.env,
    },
  },
})
