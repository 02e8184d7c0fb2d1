import { borrowerPermissions } from '#contract/permissions.ts'
import { withClient } from '#testkit/query-once.ts'

/** Invented people: some frequent names, many rare names. */

// prettier-ignore
const starts = ['A', 'Aa', 'Am', 'An', 'Ar', 'Ash', 'Bha', 'Bi', 'Cha', 'De', 'Dha', 'Di', 'Ga', 'Gi', 'Ha', 'In', 'Ja', 'Ka', 'Ki', 'La', 'Ma', 'Mo', 'Na', 'Ni', 'Pa', 'Pra', 'Ra', 'Ri', 'Sa', 'Sha', 'Su', 'Ta', 'U', 'Va', 'Vi', 'Ya']
const middles = ['na', 'ni', 'ra', 'ri', 'sh', 'ta', 'ti', 'va', 'vi', 'ka', 'la', 'ma', 'mi', 'nu', 'pa', 'yu', 'de', 'ro']
const ends = ['', 'n', 'nya', 'ta', 'rao', 'jit', 'deep', 'kar', 'wal', 'mar', 'ya', 'sh', 'nath', 'pur', 'tha', 'dar']
const namesOf = (parts: readonly (readonly string[])[]): string[] =>
  parts.reduce<string[]>((made, part) => made.flatMap((one) => part.map((next) => one + next)), [''])

/**
 * The `n`-th borrower's id as SQL, ascending as ids by time are, so that rows are appended to every
 * index.
 */
export const borrowerIdOf = (n: string) => `('01900000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/**
 * Adds borrowers 1 to `borrowers`, the same every time. Runs as the owner, without row-level
 * security.
 *
 * @param searched whether the staff's search must find them; its index takes longer than the rest.
 */
export async function addBorrowers(ownerUrl: string, borrowers: number, searched: boolean): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    const firsts = namesOf([starts, middles, ends.slice(0, 6)])
    const lasts = namesOf([starts, middles, ends])
    const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
      "select indexname, indexdef from pg_indexes where indexname in ('users_search', 'users_list')",
    )
    for (const { indexname } of indexes) await client.query(`drop index ${indexname}`)
    await client.query("set maintenance_work_mem = '256MB'")
    await client.query('select setseed(0.42)')
    // The third power: one person in ten has one of the first two names of a thousand.
    await client.query(
      `insert into users (user_id, phone, email, pan, first_name, last_name, kind, permissions, created_at)
       select ${borrowerIdOf('n')}, '+91' || (7000000000 + n * 1777), lower(f) || '.' || lower(l) || (n % 997) || '@' || (array['gmail.com', 'example.in', 'yahoo.co.in'])[1 + n % 3],
         chr(65 + n % 26) || chr(65 + n / 26 % 26) || chr(65 + n / 676 % 26) || 'P' || chr(65 + n / 17576 % 26) || lpad((n % 10000)::text, 4, '0') || chr(65 + n % 23), f, l, 'borrower', $6, now()
       from (select n, ($1::text[])[1 + floor(power(random(), 3) * $3)::int] as f, ($2::text[])[1 + floor(power(random(), 3) * $4)::int] as l from generate_series(1, $5) as n) as people`,
      [firsts, lasts, firsts.length, lasts.length, borrowers, [...borrowerPermissions]],
    )
    await client.query(
      "insert into user_phones (phone, user_id) select phone, user_id from users where kind = 'borrower' on conflict do nothing",
    )
    for (const { indexname, indexdef } of indexes) if (searched || indexname === 'users_list') await client.query(indexdef)
    if (searched) {
      await client.query(
        `insert into user_search_words select distinct word from users, user_words(first_name, last_name, email) as word where kind = 'borrower' on conflict do nothing`,
      )
      await client.query('vacuum analyze user_search_words')
    }
    await client.query('vacuum analyze users')
  })
}
