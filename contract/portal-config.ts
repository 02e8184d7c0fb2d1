/**
 * The response of `GET /config.json`, so that one build of the web app serves every lender
 * (decision 11).
 */
export type PortalConfig = {
  app_version: string
  brand: {
    name: string
    lender: string
    /** As registered, on one line. The GSTIN is empty if there is none. Receipts show both. */
    lender_address: string
    lender_gstin: string
    /** Address of the lender's logo. Absent: the name is shown as text. */
    logo?: string | undefined
    /** Pages of the lender's own site; those that are absent are not linked. */
    privacy_url?: string | undefined
    charges_url?: string | undefined
    accessibility_url?: string | undefined
  }
  default_language: 'en' | 'hi'
  detect_language: boolean
  use_razorpay: boolean
  /** Origins of the provider's payment pages. The web app redirects to no other origin. */
  payment_origins: readonly string[]
  polling: {
    initial_delay_ms: number
    interval_ms: number
    overall_timeout_ms: number
    redirect_delay_ms: number
  }
  /**
   * How long the redirect to the provider's page is announced, and how long 'redirecting' is shown.
   */
  countdown: { seconds: number; pause_ms: number }
  telemetry: { enabled: string; url: string; anonymous: boolean }
  upload_size_max_bytes: number
  /**
   * Where a transfer by NEFT or RTGS goes that one payment link cannot carry. Absent: borrowers
   * call support for it.
   */
  repayment_account?: { name: string; number: string; ifsc: string } | undefined
  /** `hours_hi`: the hours as the Hindi screens show them. */
  support: { phone: string; email: string; hours: string; hours_hi: string }
  grievance_officer: { name: string; phone: string; email: string }
  /**
   * Where the borrower escalates a complaint that is not settled in this many days. Without an
   * address there is no such step.
   */
  escalation: { url: string; after_days: number }
  /** Whether staff who act for a borrower may change anything, or only look. */
  assume_profile: 'act' | 'view'
  demo: boolean
}
