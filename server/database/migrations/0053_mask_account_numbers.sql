-- Events of eMandates contain the borrower's account. They have been stored with its last four digits alone since
-- server/webhooks/razorpay-event.ts masks them; this masks those that were stored before.
-- safe: few events confirm a mandate; only those are changed.
update webhook_inbox
set body = convert_to(
  regexp_replace(
    convert_from(body, 'LATIN1'),
    '("account_number"\s*:\s*)("[^"]*([0-9]{4})"|[0-9]*([0-9]{4}))',
    '\1"XXXX\3\4"',
    'g'
  ),
  'LATIN1'
)
where position('"account_number"'::bytea in body) > 0
  -- PostgreSQL's text has no zero byte; such a body is no JSON, so that it has no account.
  and position('\x00'::bytea in body) = 0;
