import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'

/** Complete production settings without `KIST_DATA_DIR`. All values are invented. */
export const productionSettings = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://kist_app:secret@db/kist',
  KIST_ORIGIN: 'https://loans.example',
  KIST_TRUSTED_PROXIES: '10.0.0.4',
  KIST_TOKEN_KEY_PEM: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  KIST_CODE_KEY: '9f2b7c04d1e8a6530bb7f4e29c1d8a75',
  MSG91_AUTH_KEY: '430192AbQx7Lm2Pz5f8d1c90P1',
  MSG91_DLT_TEMPLATE_ID: '1207161234567890123',
  RAZORPAY_KEY_ID: 'rzp_live_abcdefghijkl12',
  RAZORPAY_KEY_SECRET: 'Zk3vN8qLr2Xw9TbYc5Hd7JmP',
  RAZORPAY_WEBHOOK_SECRET: 'b81f6e02c9a74d53e0f7a96b',
  KIST_S3_BUCKET: 'sagar-documents',
  KIST_CLAMD: '127.0.0.1:3310',
  KIST_BRAND_DIR: join(import.meta.dirname, '../brand/example'),
}
