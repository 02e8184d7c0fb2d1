-- The device on which a session was started, as in sign_in_devices. Codes that the person asks for during the session have the limits of
-- that device, because the browser sends the device cookie only to the calls of sign-in.
alter table sessions add column device_hash bytea;
