/** True for a UUID. PostgreSQL rejects a comparison with another text. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The first of all UUIDs, which identifies nothing. */
export const nilUuid = '00000000-0000-0000-0000-000000000000'
