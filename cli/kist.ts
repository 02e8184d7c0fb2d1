import { runKist } from './program.ts'

/** The operator's tool: `npm run --silent kist -- COMMAND`. */
process.exitCode = await runKist(process.argv.slice(2))
