import * as z from 'zod/mini'

/** What `GET /config.json` tells the web app, so that one build serves every lender (decision 11). */
export const portalConfig = z.object({
  app_version: z.string(),
  brand: z.object({
    name: z.string(),
    lender: z.string(),
    /** As in the lender's registration, on one line; the GSTIN is empty where there is none. Both stand on receipts. */
    lender_address: z.string(),
    lender_gstin: z.string(),
    /** Where the lender's logo is; none: the name is set in type. */
    logo: z.optional(z.string()),
  }),
  default_language: z.enum(['en', 'hi']),
  detect_language: z.boolean(),
  use_razorpay: z.boolean(),
  polling: z.object({
    initial_delay_ms: z.int(),
    interval_ms: z.int(),
    overall_timeout_ms: z.int(),
    redirect_delay_ms: z.int(),
  }),
  /** Before the provider's page opens: how long it is announced, and how long 'redirecting' is shown. */
  countdown: z.object({ seconds: z.int(), pause_ms: z.int() }),
  telemetry: z.object({ enabled: z.string(), url: z.string(), anonymous: z.boolean() }),
  upload_size_max_bytes: z.int(),
  support: z.object({ phone: z.string(), email: z.string(), hours: z.string() }),
  grievance_officer: z.object({ name: z.string(), phone: z.string(), email: z.string() }),
  /** Where a complaint goes that the lender has not settled in so many days; no address, no such step. */
  escalation: z.object({ url: z.string(), after_days: z.int() }),
  demo: z.boolean(),
})
export type PortalConfig = z.output<typeof portalConfig>
