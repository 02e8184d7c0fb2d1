import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a browser, whose environment is written into a report, gets no setting and no secret', () => {
  const module = join(import.meta.dirname, 'child-environment.ts')
  const script = `import { browserEnvironment } from ${JSON.stringify(module)}; console.log(JSON.stringify(browserEnvironment))`
  const env = { HOME: '/home/somebody', PATH: '/bin', RAZORPAY_KEY_SECRET: 'sentinel', KIST_LIMITS: 'demo' }
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env, encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual({ HOME: '/home/somebody', PATH: '/bin' })
})
