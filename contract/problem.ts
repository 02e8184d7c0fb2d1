import * as z from 'zod/mini'
import { errorCatalogue, type ErrorCode } from './errors.ts'
import { problemFields } from './problem-fields.ts'

const errorCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]

/** The problem document of every error, `application/problem+json` (decision 2). */
export const problem = z.object({ ...problemFields, code: z.enum(errorCodes) })
