/**
 * Server tests that apply to one PostgreSQL only: `npm run lab -- citus test` does not count their
 * failures. `title` is how the titles of these tests begin.
 */
export const exclusions: readonly { file: string; title: string; reason: string }[] = [
  {
    file: 'server/database/pipeline.api.test.ts',
    title: 'a pipeline that starts with a session',
    reason: 'one PostgreSQL limits the statements by the first of them; on a cluster read-caller.ts reads the session first',
  },
]
