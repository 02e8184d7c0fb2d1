import { defineConfig } from 'vitest/config'

/** The tests that mutants of the engine are held against. The referee is left out: it would kill more, and take half an hour longer. */
export default defineConfig({ test: { include: ['domain/**/*.test.ts'], exclude: ['domain/referee.test.ts'] } })
