import { createContext } from 'react'

/** Whether the page may only be looked at: staff who act for a borrower with the profile `view`. */
export const ViewOnly = createContext(false)
