/** The page that verifies a document. It is printed on every document, so it must not change. */
export const verificationPath = '/verify-document'
