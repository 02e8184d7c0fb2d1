/** What `GET /config.json` tells the web app, so that one build serves every lender (decision 11). */
export type PortalConfig = {
  app_version: string
  brand: {
    name: string
    lender: string
    /** As in the lender's registration, on one line; the GSTIN is empty where there is none. Both stand on receipts. */
    lender_address: string
    lender_gstin: string
    /** Where the lender's logo is; none: the name is set in type. */
    logo?: string | undefined
  }
  default_language: 'en' | 'hi'
  detect_language: boolean
  use_razorpay: boolean
  /** Where the provider's payment pages are; a browser is sent to no other origin. */
  payment_origins: readonly string[]
  polling: {
    initial_delay_ms: number
    interval_ms: number
    overall_timeout_ms: number
    redirect_delay_ms: number
  }
  /** Before the provider's page opens: how long it is announced, and how long 'redirecting' is shown. */
  countdown: { seconds: number; pause_ms: number }
  telemetry: { enabled: string; url: string; anonymous: boolean }
  upload_size_max_bytes: number
  support: { phone: string; email: string; hours: string }
  grievance_officer: { name: string; phone: string; email: string }
  /** Where a complaint goes that the lender has not settled in so many days; no address, no such step. */
  escalation: { url: string; after_days: number }
  demo: boolean
}
