-- Events of eMandates contain the borrower's account number. New events are stored with its last four digits only
-- (server/webhooks/razorpay-event.ts); this masks the older ones.
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
  -- PostgreSQL's text has no zero byte. A body with one is not JSON, so it has no account number.
  and position('\x00'::bytea in body) = 0;
