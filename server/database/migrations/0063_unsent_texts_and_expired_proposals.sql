-- too_late: no worker ran while the text message was of use. The bell has the notice.
alter table notices drop constraint notices_sms_check;
alter table notices add constraint notices_sms_check check (sms in ('waiting', 'queued', 'unwanted', 'no_template', 'too_late')) not valid;
-- When the expiry of a proposal was written to the access log (server/operations/log-expired.ts).
alter table operation_proposals add column expiry_logged_at timestamptz;
