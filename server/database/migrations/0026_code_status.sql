-- What has become of the message with the code: the sign-in screen asks for it (GET /auth/code-status). Codes that
-- were asked for before this migration stay 'waiting'.
alter table sign_in_codes add column message_status text not null default 'waiting' check (message_status in ('waiting', 'sent', 'failed'));
