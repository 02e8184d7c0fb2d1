-- Names this database in the owner marker of its bucket (server/documents/bucket-owner.ts). A clone keeps the id; the system identifier
-- and the timeline of its server tell it from the original.
create table installation (
  singleton boolean primary key default true check (singleton),
  database_id uuid not null default gen_random_uuid()
);
insert into installation default values;
grant select on installation to kist_app;

-- no_template: no DLT template is registered for the message, so it was not sent by SMS. The bell has it.
alter table notices drop constraint notices_sms_check;
alter table notices add constraint notices_sms_check check (sms in ('waiting', 'queued', 'unwanted', 'no_template')) not valid;
