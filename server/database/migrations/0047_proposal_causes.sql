-- Why a proposal failed, or was withdrawn by the portal, as a code, so that each reader sees it in their language.
alter table operation_proposals add column decision_cause text check (decision_cause ~ '^[a-z_]{1,60}$');
