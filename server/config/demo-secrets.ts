import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Secrets that production reads from its settings and the demo generates once per data directory.
 */
export type Secrets = {
  /** Ed25519 private key, PKCS 8 PEM. */
  tokenKeyPem: string
  codeKey: string
  razorpayKeySecret: string
  razorpayWebhookSecret: string
}

/**
 * Reads the secrets of the data directory, and creates them on first use. Concurrent processes get
 * the same ones.
 */
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
  const ownPath = `${path}.${process.pid}`
  writeFileSync(ownPath, JSON.stringify(secrets), { mode: 0o600 })
  try {
    // A link, unlike a rename, fails when another process was first.
    linkSync(ownPath, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(ownPath)
  }
}
