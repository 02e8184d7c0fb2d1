import { defineConfig } from '@playwright/test'
import { findBrowser } from '#testkit/browser.ts'

const browser = findBrowser()

export default defineConfig({
  testDir: '.',
  testMatch: '*.e2e.ts',
  outputDir: '../test-results/browser',
  globalSetup: './cluster.ts',
  fullyParallel: false,
  workers: 2,
  // When replicas are killed, a press may reach a dying one; the test is repeated
  // (tools/test-balanced.ts evaluates it).
  retries: process.env['KIST_TEST_BALANCER'] === undefined ? 0 : 1,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: '../test-results/e2e.json' }]],
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-IN',
    serviceWorkers: 'block',
    timezoneId: 'Asia/Kolkata',
    // No screenshots in traces: they cost a quarter of the processor time. The snapshots of a trace
    // show the same.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: browser.executablePath,
      args: browser.args,
      env: browser.env,
    },
  },
})
