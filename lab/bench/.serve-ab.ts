import { writeFileSync } from 'node:fs'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp } from '#testkit/start-app.ts'
import { startTestCluster } from '#testkit/test-database.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'
buildWebWhenStale()
const cluster = await startTestCluster()
const app = await startApp(cluster, { town: true })
const token = await app.signIn(demoPhone(1))
writeFileSync(process.argv[2]!, JSON.stringify({ url: app.url.replace('127.0.0.1', 'localhost'), token }))
process.on('SIGTERM', async () => { await app.close(); await cluster.stop(); process.exit(0) })
setInterval(() => {}, 1000)
