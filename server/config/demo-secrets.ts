import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What production takes from its settings and the demo makes for itself, once per data directory. */
export type Secrets = {
  /** Ed25519 private key, PKCS 8 PEM. */
  tokenKeyPem: string
  codeKey: string
  razorpayKeySecret: string
  razorpayWebhookSecret: string
}

/** Reads the data directory's own secrets, making them at first. Two processes that start at once agree. */
export function readOrCreateDemoSecrets(dataDirectory: string): Secrets {
  const path = join(dataDirectory, 'secrets.json')
  if (!existsSync(path)) createOnce(dataDirectory, path)
  return JSON.parse(readFileSync(path, 'utf8')) as Secrets
}

function createOnce(dataDirectory: string, path: string): void {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const secrets: Secrets = {
    tokenKeyPem: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    codeKey: randomBytes(32).toString('hex'),
    razorpayKeySecret: randomBytes(16).toString('hex'),
    razorpayWebhookSecret: randomBytes(16).toString('hex'),
  }
  const mine = `${path}.${process.pid}`
  writeFileSync(mine, JSON.stringify(secrets), { mode: 0o600 })
  try {
    // A link, unlike a rename, fails when another process was first.
    linkSync(mine, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(mine)
  }
}
