import { pathTo, type Body, type Call } from './call.ts'
import { claims, loan, permission, user } from './entities.ts'
import { both, exactly, listOf, object, positive, type Shape } from './shape.ts'
import { bearerToken } from './sign-in-calls.ts'
import { kept } from './visit.ts'

/** Staff find the borrower, assume them, and see their data. */
export const staffCalls: readonly Call[] = [
  pathTo('/auth/users/all', {
    when: 'the first page',
    query: () => ({ page: '1', page_size: '10' }),
    answer: object({ users: listOf(user, 1), total_pages: positive }),
  }),
  pathTo('/auth/users/all', {
    when: 'a search',
    query: (visit) => ({ page: '1', page_size: '10', search: visit.phone }),
    answer: object({ users: listOf(user, 1), total_pages: exactly(1) }),
    keep: (body, visit) => void visit.kept.set('borrower', String((body['users'] as Body[])[0]?.['user_id'])),
  }),
  pathTo('/auth/assume', {
    method: 'POST',
    body: (visit) => ({ user_id_to_assume: kept(visit, 'borrower') }),
    answer: object({ token: bearerToken }),
    answerNow: (visit) => object({ token: assumes(kept(visit, 'borrower')) }),
    keep: (body, visit) => {
      visit.token = String(body['token'])
    },
  }),
  pathTo('/auth/users/{user_id}', {
    at: (visit) => `/auth/users/${kept(visit, 'borrower')}`,
    when: 'with the returned token',
    answer: object({ user }),
    answerNow: (visit) => object({ user: object({ user_id: exactly(kept(visit, 'borrower')) }) }),
  }),
  pathTo('/auth/permissions', { when: 'while acting as a borrower', answer: object({ permissions: listOf(permission, 1) }) }),
  pathTo('/portal/loans-summary', {
    when: 'while acting as a borrower',
    answer: object({ loans: listOf(loan, 1) }),
    answerNow: (visit) =>
      object({ loans: (loans, at) => ((loans as Body[]).some((one) => one['lan'] === kept(visit, 'lan')) ? [] : [`${at} are another's`]) }),
  }),
]

const assumes =
  (borrowerId: string): Shape =>
  (token, at) => {
    const payload: unknown = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString('utf8'))
    return both(claims, object({ assumed_user_id: exactly(borrowerId) }))(payload, `${at} claims`)
  }
